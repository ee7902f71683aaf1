// Which tools does the files companion have? Reads that show every byte, and changes that are made only if a file still is what the caller thinks it is.
import type { ZodRawShape } from "zod";
import type { JsonObject } from "../../core/json.ts";
import { Refusal } from "../refusal.ts";
import { Roots } from "../roots.ts";
import { type CompanionTool, serveTools, type Zod } from "../serve-tools.ts";
import { type Changes, deleteIf, type Expected, makeDir, moveIfAbsent, removeDirIfEmpty, writeIf } from "./change.ts";
import { describe } from "./describe.ts";

/** Serves the companion. `limit`: the largest file, in bytes. @throws SynartesisError usage where a root isn't there */
export async function serveFiles(options: { roots: readonly string[]; cwd: string; limit: number }): Promise<void> {
  const changes = { roots: new Roots(options.roots, options.cwd), limit: options.limit };
  const instructions =
    "Reads files byte for byte, and changes one only if it still is what you say. Paths lie in the roots that were given.";
  await serveTools({ name: "synartesis-files", title: "Synartesis files companion", instructions }, (z) => [
    ...readTools(z, changes),
    ...writeTools(z, changes),
    ...folderTools(z, changes),
  ]);
}

interface WriteArgs {
  readonly path: string;
  readonly content?: string | null | undefined;
  readonly text?: string | null | undefined;
  readonly encoding?: "base64" | "utf8" | undefined;
  readonly mode?: string | undefined;
  readonly if_digest?: string | undefined;
  readonly if_absent?: true | undefined;
}

function readTools(z: Zod, { roots, limit }: Changes): readonly CompanionTool[] {
  const input = { path: pathShape(z) };
  return [
    {
      name: "read",
      title: "Read a path",
      description:
        "Shows what is at a path: its kind, mode and size, and of a file its text if it is UTF-8, else its bytes (base64), and their digest.",
      input,
      output: described(z, true),
      reads: true,
      run: ({ path }: { path: string }) => describe(roots, path, limit, true),
    },
    {
      name: "stat",
      title: "Read a path without its bytes",
      description: "The same without the bytes: the digest tells whether they are the same.",
      input,
      output: described(z, false),
      reads: true,
      run: ({ path }: { path: string }) => describe(roots, path, limit, false),
    },
  ];
}

function described(z: Zod, full: boolean): ZodRawShape {
  const bytes = { text: z.string().optional(), content: z.string().optional().describe("The bytes, in base64, where they are no text") };
  return {
    exists: z.boolean(),
    kind: z.enum(["file", "dir", "link", "other"]).optional().describe("link: one that leads out of the roots, or to nothing"),
    mode: z.string().optional().describe("Permission bits, octal"),
    size: z.number().optional(),
    digest: z.string().optional(),
    links: z.number().optional().describe("How many names (hard links) the file has, where it has several"),
    target: z.string().optional().describe("Where a link leads"),
    ...(full ? bytes : {}),
    missing: z.array(z.string()).describe("The path, and the folders above it, that aren't there; deepest first"),
    missing_parents: z.array(z.string()).describe("The same without the path itself"),
  };
}

function writeTools(z: Zod, changes: Changes): readonly CompanionTool[] {
  const digest = digestShape(z);
  return [
    {
      name: "write_if",
      title: "Write a file if it is unchanged",
      description:
        "Writes a whole file in one step if what is there still has this digest, or if nothing is there. Its folder has to be there.",
      input: {
        path: pathShape(z),
        content: z.string().nullable().optional().describe("The bytes, in base64 (or as `encoding` says); or give `text`"),
        encoding: z.enum(["base64", "utf8"]).optional(),
        text: z.string().nullable().optional(),
        mode: modeShape(z).optional(),
        if_digest: digest.optional(),
        if_absent: z.literal(true).optional(),
      },
      output: { written: z.boolean(), size: z.number(), digest: z.string(), note: z.string().optional() },
      reads: false,
      run: (args: WriteArgs) => writeIf(changes, args.path, bytesOf(args), expectedOf(args), modeOf(args.mode)),
    },
    {
      name: "delete_if",
      title: "Delete a file if it is unchanged",
      description: "Deletes a file if it still has this digest. If it is gone already, nothing is done.",
      input: { path: pathShape(z), digest },
      output: { deleted: z.boolean() },
      reads: false,
      run: ({ path, digest: expected }: { path: string; digest: string }) => deleteIf(changes, path, expected),
    },
    {
      name: "move_if_absent",
      title: "Move to where nothing is",
      description: "Moves a file or a folder to a path where nothing is; with if_digest only a file that still has it.",
      input: { source: pathShape(z), destination: pathShape(z), if_digest: digest.nullable().optional() },
      output: { moved: z.boolean() },
      reads: false,
      run: ({ source, destination, if_digest }: { source: string; destination: string; if_digest?: string | null }) =>
        moveIfAbsent(changes, source, destination, if_digest ?? undefined),
    },
    {
      name: "restore_if_absent",
      title: "Put back where nothing is",
      description: "Puts back what `read` showed of a path where nothing is now: a file, an empty folder, or nothing if nothing was there.",
      input: { path: pathShape(z), was: wasShape(z) },
      output: { restored: z.boolean() },
      reads: false,
      run: ({ path, was }: { path: string; was: Was }) => restoreIfAbsent(changes, path, was),
    },
  ];
}

/** What `read` showed, as far as it is put back. */
interface Was {
  readonly exists: boolean;
  readonly kind?: string | undefined;
  readonly mode?: string | undefined;
  readonly text?: string | undefined;
  readonly content?: string | undefined;
}

function wasShape(z: Zod) {
  const [text, content] = [z.string().optional(), z.string().optional()];
  return z.looseObject({ exists: z.boolean(), kind: z.string().optional(), mode: modeShape(z).optional(), text, content });
}

function restoreIfAbsent(changes: Changes, path: string, was: Was): JsonObject {
  if (!was.exists) return { restored: false };
  if (was.kind === "dir") makeDir(changes, path, modeOf(was.mode));
  else if (was.kind === "file")
    writeIf(changes, path, bytesOf({ path, ...was, encoding: undefined }), { kind: "absent" }, modeOf(was.mode));
  else throw new Refusal(`what was at ${path} is neither a file nor a folder`);
  return { restored: true };
}

function folderTools(z: Zod, changes: Changes): readonly CompanionTool[] {
  return [
    {
      name: "remove_dir_if_empty",
      title: "Remove a folder if it is empty",
      description: "Removes a folder if nothing is in it. If it is gone already, nothing is done.",
      input: { path: pathShape(z) },
      output: { removed: z.boolean() },
      reads: false,
      run: ({ path }: { path: string }) => removeDirIfEmpty(changes, path),
    },
    {
      name: "make_dir",
      title: "Make a folder",
      description: "Makes a folder where nothing is. The folder above it has to be there.",
      input: { path: pathShape(z), mode: modeShape(z).optional() },
      output: { made: z.boolean() },
      reads: false,
      run: ({ path, mode }: { path: string; mode?: string }) => makeDir(changes, path, modeOf(mode)),
    },
  ];
}

function pathShape(z: Zod) {
  return z.string().describe("Absolute, or relative to the first root");
}

function digestShape(z: Zod) {
  return z
    .string()
    .regex(/^sha256:[0-9a-f]{64}$/)
    .describe("As `read` and `stat` show it");
}

function modeShape(z: Zod) {
  return z
    .string()
    .regex(/^[0-7]{3,5}$/)
    .describe("Permission bits, octal, such as 0644");
}

function modeOf(mode: string | undefined): number | undefined {
  if (mode === undefined) return undefined;
  const bits = Number.parseInt(mode, 8);
  if (bits > 0o7777) throw new Refusal(`${mode} is no mode`);
  return bits;
}

/** Exactly one of the two ways to say it; base64 that isn't would silently become other bytes. */
function bytesOf({ encoding, ...given }: WriteArgs): Uint8Array {
  const [content, text] = [given.content ?? undefined, given.text ?? undefined];
  if ((content === undefined) === (text === undefined)) throw new Refusal("give either `content` or `text`");
  if (text !== undefined && encoding !== undefined) throw new Refusal("`encoding` goes with `content`");
  const plain = text ?? (encoding === "utf8" ? content : undefined);
  if (plain !== undefined) {
    if (!plain.isWellFormed()) throw new Refusal("the text has half of a character (a lone surrogate), which no file can hold as text");
    return Buffer.from(plain, "utf8");
  }
  const bytes = Buffer.from(content ?? "", "base64");
  if (bytes.toString("base64") !== content) throw new Refusal("`content` is no base64");
  return bytes;
}

function expectedOf({ if_digest, if_absent }: WriteArgs): Expected {
  if (if_digest !== undefined && if_absent === undefined) return { kind: "digest", digest: if_digest };
  if (if_absent === true && if_digest === undefined) return { kind: "absent" };
  throw new Refusal("give either `if_digest` or `if_absent: true`");
}
