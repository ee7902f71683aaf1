// What do the contents and Git data APIs answer? A file is replaced only by who names its blob (409 else), and a branch moves only forward (422 else).
import { type Answer, check, found, ok, Refusal, type Route } from "./answer.ts";
import { commitOf, type Tree, treeSha } from "./objects.ts";
import { commitFiles, keepBlob, treeAt, type World } from "./world.ts";

/** The routes under `repos/OWNER/REPO/`. */
export function gitRoutes(world: World): readonly Route[] {
  const commitAt = (ref: string | null) => found(resolve(world, ref));
  return [
    ["GET", /^git\/refs?\/(.+)$/, ({ parts: [name = ""] }) => ok(refJson(world, `refs/${name}`))],
    [
      "POST",
      /^git\/refs$/,
      ({ body }) => {
        const ref = String(body["ref"]);
        check(!world.refs.has(ref), "Reference already exists");
        check(world.commits.has(String(body["sha"])), "Object does not exist");
        world.refs.set(ref, String(body["sha"]));
        return ok(refJson(world, ref), 201);
      },
    ],
    [
      "PATCH",
      /^git\/refs\/(.+)$/,
      ({ parts: [name = ""], body }) => {
        const to = found(world.commits.get(String(body["sha"])));
        const from = found(world.refs.get(`refs/${name}`));
        check(body["force"] === true || isDescendant(world, to.sha, from), "Update is not a fast forward");
        world.refs.set(`refs/${name}`, to.sha);
        return ok(refJson(world, `refs/${name}`));
      },
    ],
    ["GET", /^git\/commits\/(.+)$/, ({ parts: [sha = ""] }) => ok(commitJson(world, sha))],
    [
      "POST",
      /^git\/commits$/,
      ({ body }) => {
        const parents = (body["parents"] ?? []) as string[];
        check(world.trees.has(String(body["tree"])) && parents.every((parent) => world.commits.has(parent)), "Object does not exist");
        const commit = commitOf(String(body["tree"]), parents, String(body["message"]), world.clock++);
        world.commits.set(commit.sha, commit);
        return ok(commitJson(world, commit.sha), 201);
      },
    ],
    [
      "GET",
      /^git\/trees\/(.+)$/,
      ({ parts: [name = ""] }) => {
        const files = world.trees.get(name) ?? treeAt(world, commitAt(name));
        return ok({
          sha: treeSha(files),
          truncated: false,
          tree: Object.entries(files).map(([path, entry]) => entryJson(world, path, entry)),
        });
      },
    ],
    ["POST", /^git\/trees$/, ({ body }) => postTree(world, body)],
    ["GET", /^contents\/(.*)$/, ({ parts: [path = ""], query }) => getContents(world, path, treeAt(world, commitAt(query.get("ref"))))],
    ["PUT", /^contents\/(.+)$/, ({ parts: [path = ""], body }) => putContents(world, path, body)],
  ];
}

function resolve(world: World, ref: string | null): string | undefined {
  const name = ref ?? "main";
  return world.commits.has(name) ? name : (world.refs.get(name) ?? world.refs.get(`refs/heads/${name}`) ?? world.refs.get(`refs/${name}`));
}

function isDescendant(world: World, sha: string, of: string): boolean {
  return sha === of || (world.commits.get(sha)?.parents ?? []).some((parent) => isDescendant(world, parent, of));
}

function refJson(world: World, ref: string): object {
  return { ref, object: { type: "commit", sha: found(world.refs.get(ref)) } };
}

function commitJson(world: World, sha: string): object {
  const { tree, parents, message } = found(world.commits.get(sha));
  return {
    sha,
    message,
    tree: { sha: tree },
    parents: parents.map((parent) => ({ sha: parent })),
    html_url: `http://github.test/commit/${sha}`,
  };
}

function entryJson(world: World, path: string, { mode, sha }: Tree[string]): object {
  return { path, mode, type: "blob", sha, size: world.blobs.get(sha)?.length };
}

/** Adds files to a tree, or takes them out (`sha: null`). */
function postTree(world: World, body: Readonly<Record<string, unknown>>): Answer {
  const files: Record<string, Tree[string]> = { ...found(world.trees.get(String(body["base_tree"]))) };
  for (const entry of body["tree"] as { path: string; mode: string; sha?: string | null; content?: string }[]) {
    if (entry.sha === null) {
      check(Object.hasOwn(files, entry.path), "GitRPC::BadObjectState");
      delete files[entry.path];
    } else {
      files[entry.path] = { mode: entry.mode, sha: entry.sha ?? keepBlob(world, Buffer.from(entry.content ?? "")) };
    }
  }
  const sha = treeSha(files);
  world.trees.set(sha, files);
  return ok({ sha, tree: Object.entries(files).map(([path, entry]) => entryJson(world, path, entry)) }, 201);
}

function getContents(world: World, path: string, files: Tree): Answer {
  const file = files[path];
  if (file === undefined) {
    const below = Object.keys(files).filter((name) => name.startsWith(path === "" ? "" : `${path}/`));
    if (below.length === 0) throw new Refusal(404, "Not Found");
    return ok(below.map((name) => fileJson(world, name, files[name] as Tree[string], false)));
  }
  return ok(fileJson(world, path, file, true));
}

function fileJson(world: World, path: string, { sha }: Tree[string], isWhole: boolean): object {
  const bytes = world.blobs.get(sha) ?? new Uint8Array();
  const content = isWhole ? { encoding: "base64", content: Buffer.from(bytes).toString("base64") } : {};
  return {
    type: "file",
    name: path.split("/").at(-1),
    path,
    sha,
    size: bytes.length,
    html_url: `http://github.test/blob/${path}`,
    ...content,
  };
}

function putContents(world: World, path: string, body: Readonly<Record<string, unknown>>): Answer {
  const ref = `refs/heads/${String(body["branch"] ?? "main")}`;
  if (!world.refs.has(ref)) throw new Refusal(404, `Branch ${String(body["branch"])} not found`);
  const files = treeAt(world, world.refs.get(ref));
  const there = files[path];
  if (there !== undefined && body["sha"] === undefined) throw new Refusal(422, 'Invalid request.\n\n"sha" wasn\'t supplied.');
  if (body["sha"] !== undefined && there?.sha !== body["sha"]) throw new Refusal(409, `${path} does not match ${String(body["sha"])}`);
  const sha = keepBlob(world, Buffer.from(String(body["content"]), "base64"));
  const after = { ...files, [path]: { mode: there?.mode ?? "100644", sha } };
  const commit = commitFiles(world, ref, after, String(body["message"]));
  return ok(
    { content: fileJson(world, path, after[path] as Tree[string], false), commit: commitJson(world, commit.sha) },
    there ? 200 : 201,
  );
}
