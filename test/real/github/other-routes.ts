// What does the REST API answer about pull requests, repositories, gists, stars and the user?
import { type Asked, check, found, NOTHING, ok, type Route } from "./answer.ts";
import { type Gist, newPull, type Pull, treeAt, type World } from "./world.ts";

/** The routes of pull requests, under `repos/OWNER/REPO/`. */
export function pullRoutes(world: World): readonly Route[] {
  const numbered = ({ parts: [number] }: Asked) => found(world.pulls.find((pull) => pull.number === Number(number)));
  const hasBranch = (name: unknown) => world.refs.has(`refs/heads/${String(name)}`);
  return [
    ["GET", /^pulls\/(\d+)$/, (asked) => ok(pullJson(world, numbered(asked)))],
    [
      "POST",
      /^pulls$/,
      ({ body }) => {
        const { title, head, base } = body as { title: string; head: string; base: string };
        check(hasBranch(head) && hasBranch(base) && head !== base, "head or base");
        check(
          !world.pulls.some((pull) => pull.state === "open" && pull.head === head && pull.base === base),
          "A pull request already exists",
        );
        const pull = newPull(world, {
          title,
          head,
          base,
          draft: body["draft"] === true,
          body: (body["body"] as string | undefined) ?? null,
        });
        return ok(pullJson(world, pull), 201);
      },
    ],
    [
      "PATCH",
      /^pulls\/(\d+)$/,
      (asked) => {
        const pull = numbered(asked);
        const { title, body, state, base, maintainer_can_modify: may } = asked.body as Partial<Pull>;
        check(title === undefined || title !== "", "title");
        check(state === undefined || state === "open" || state === "closed", "state");
        check(base === undefined || hasBranch(base), "base");
        if (title !== undefined) pull.title = title;
        if (body !== undefined) pull.body = body === "" ? null : body;
        if (state !== undefined) pull.state = state;
        if (base !== undefined) pull.base = base;
        if (may !== undefined) pull.maintainer_can_modify = may;
        pull.updated = world.clock++;
        return ok(pullJson(world, pull));
      },
    ],
    [
      "POST",
      /^pulls\/(\d+)\/requested_reviewers$/,
      (asked) => {
        const pull = numbered(asked);
        pull.reviewers = [...new Set([...pull.reviewers, ...((asked.body["reviewers"] ?? []) as string[])])];
        return ok(pullJson(world, pull), 201);
      },
    ],
  ];
}

/** The routes beside a repository's. */
export function otherRoutes(world: World): readonly Route[] {
  const home = `${world.owner}/${world.repo}`;
  const repositoryJson = (name: string) => ({
    id: 1000 + name.length,
    name: name.split("/")[1],
    full_name: name,
    html_url: `http://github.test/${name}`,
    private: false,
    default_branch: "main",
    stargazers_count: world.stars.includes(name) ? 1 : 0,
  });
  const exists = (name: string) => found([home, ...world.others].find((each) => each === name));
  const create = (owner: string) => (asked: Asked) => {
    const name = `${owner}/${String(asked.body["name"])}`;
    check(name !== home && !world.others.includes(name), "name already exists on this account");
    world.others.push(name);
    return ok(repositoryJson(name), 201);
  };
  const gist = ({ parts: [id] }: Asked) => found(world.gists.find((each) => each.id === id));
  return [
    ["GET", /^user$/, () => ok({ login: world.user, id: 1 })],
    ["POST", /^user\/repos$/, create(world.user)],
    ["POST", /^orgs\/([^/]+)\/repos$/, (asked) => create(asked.parts[0] ?? "")(asked)],
    ["GET", /^repos\/([^/]+\/[^/]+)$/, ({ parts: [name = ""] }) => ok(repositoryJson(exists(name)))],
    [
      "GET",
      /^user\/starred$/,
      ({ query }) => ok(page(world.stars, query).map((name) => ({ starred_at: "2026-01-01T00:00:00Z", repo: repositoryJson(name) }))),
    ],
    ["PUT", /^user\/starred\/(.+)$/, ({ parts: [name = ""] }) => star(world, exists(name), true)],
    ["DELETE", /^user\/starred\/(.+)$/, ({ parts: [name = ""] }) => star(world, exists(name), false)],
    ["GET", /^gists\/(\w+)$/, (asked) => ok(gistJson(gist(asked)))],
    [
      "PATCH",
      /^gists\/(\w+)$/,
      (asked) => {
        const changed = gist(asked);
        for (const [name, file] of Object.entries((asked.body["files"] ?? {}) as Record<string, { content: string } | null>)) {
          if (file === null) delete changed.files[name];
          else changed.files[name] = file.content;
        }
        if (typeof asked.body["description"] === "string") changed.description = asked.body["description"];
        return ok(gistJson(changed));
      },
    ],
  ];
}

/** Newest first, as GitHub lists them. */
function page(stars: readonly string[], query: URLSearchParams): readonly string[] {
  const [at, size] = [Number(query.get("page") ?? 1), Number(query.get("per_page") ?? 30)];
  return stars.toReversed().slice((at - 1) * size, at * size);
}

function star(world: World, name: string, isWanted: boolean) {
  world.stars = [...world.stars.filter((each) => each !== name), ...(isWanted ? [name] : [])];
  return NOTHING;
}

function gistJson({ id, description, files }: Gist): object {
  const shown = Object.entries(files).map(([filename, content]) => [
    filename,
    { filename, content, size: content.length, truncated: false },
  ]);
  return { id, description, public: true, html_url: `http://gist.github.test/${id}`, files: Object.fromEntries(shown) };
}

function pullJson(world: World, pull: Pull): object {
  const { reviewers, updated, head, base, ...rest } = pull;
  const branch = (ref: string) => ({ ref, sha: world.refs.get(`refs/heads/${ref}`), repo: { full_name: `${world.owner}/${world.repo}` } });
  const changed = Object.keys(treeAt(world, world.refs.get(`refs/heads/${head}`))).length;
  return {
    ...rest,
    node_id: `PR_${pull.id}`,
    html_url: `http://github.test/${world.owner}/${world.repo}/pull/${pull.number}`,
    user: { login: world.user },
    head: branch(head),
    base: branch(base),
    requested_reviewers: reviewers.map((login) => ({ login })),
    merged: false,
    mergeable_state: pull.state === "open" ? "clean" : "unknown",
    changed_files: changed,
    created_at: "2026-01-01T00:00:00Z",
    updated_at: new Date(updated * 1000).toISOString(),
    ...(pull.state === "closed" ? { closed_at: new Date(updated * 1000).toISOString() } : {}),
  };
}
