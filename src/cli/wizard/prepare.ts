// What is there to decide about a server that was started? What its policy, a shipped one or a draft, leaves open; and what goes into the manifest then.
import { digestOf } from "../../core/digest.ts";
import { draftIn, type PolicyChoice } from "../../draft/choose-policy.ts";
import { decidedRules } from "../../draft/decide-rules.ts";
import { foldersIn, type Listing, type OpenFolders, type ServerDecision } from "../../draft/next-step.ts";
import { isMatchable } from "../../draft/words.ts";
import { SynartesisError } from "../../errors.ts";
import type { Addition } from "../../manifest/new-manifest.ts";
import type { ListedTool } from "../../upstream/upstream.ts";
import type { OpenCompanion } from "../companion-folders.ts";
import type { Settled } from "../write-manifest.ts";

/** A server that was looked at: what there is to ask, and what goes into the manifest. */
export type Prepared = Ready | Failed;

export interface Ready {
  readonly listing: Extract<Listing, { kind: "listed" }>;
  /** Of its list of tools: answers hold for this list only. */
  readonly digest: string;
  /** Undefined where the manifest has its policy already. */
  readonly choice: PolicyChoice | undefined;
  /** What becomes of the manifest; undefined where nothing does. @throws usage where a folder that was said isn't there any more */
  change(decision: ServerDecision): Addition | Settled | undefined;
}

export interface Failed {
  readonly listing: Extract<Listing, { kind: "failed" }>;
  readonly error: SynartesisError;
}

/** A server that can't be guarded as things are, which must not keep others from it. */
export function failedWith(error: SynartesisError): Failed {
  return { listing: { kind: "failed", reason: error.message, hint: error.hint }, error };
}

/** A server that was listed; `addition` is what goes into the manifest, its rules as they were drafted. */
export function readyWith(
  server: string,
  tools: readonly ListedTool[],
  choice: PolicyChoice,
  addition: Omit<Addition, "rulesYaml">,
  company: OpenCompanion | undefined,
): Ready {
  const draft = draftIn(choice);
  const settled = choice.rulesYaml.slice(0, choice.rulesYaml.length - draft.rulesYaml.length);
  const open = draft.tools.filter(({ name, todo }) => todo && isMatchable(name));
  const policy = choice.kind === "shipped" ? choice.policy.title : undefined;
  return {
    listing: { kind: "listed", policy, isKnown: false, server, tools, open, folders: company && openFolders(company) },
    digest: digestOf(tools.map(({ raw }) => raw)),
    choice,
    change: ({ decisions, folders }) => ({
      ...addition,
      ...(company !== undefined && { companions: company.companionsIn(folders) }),
      rulesYaml: [...settled, ...decidedRules(server, draft.tools, decisions)],
    }),
  };
}

function openFolders({ policy, usual, companionsIn }: OpenCompanion): OpenFolders {
  const check = (text: string) => {
    try {
      companionsIn(foldersIn(text));
      return undefined;
    } catch (error) {
      if (error instanceof SynartesisError) return error.message;
      throw error;
    }
  };
  return { policy, usual, check };
}
