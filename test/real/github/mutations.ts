// What do the mutations of the GraphQL API change, and what do they refuse? As GitHub does: nothing is changed by what is refused.
import { setState } from "./issue-routes.ts";
import { commentNode, discussionOf, issueId, issueNode, labelNode, missing, pullNode } from "./queries.ts";
import type { World } from "./world.ts";

type Given = { readonly input: Readonly<Record<string, unknown>> };

/** Gives the fields of a mutation. */
export function mutations(world: World): object {
  const issue = (id: unknown) => world.issues.find((each) => issueId(each) === id) ?? missing("Issue", String(id));
  const label = (id: unknown) => world.labels.find((each) => each.id === id) ?? missing("Label", String(id));
  const pull = (id: unknown) => world.pulls.find((each) => `PR_${each.id}` === id) ?? missing("PullRequest", String(id));
  const comment = (id: unknown) => world.discussion.find((each) => each.id === id) ?? missing("DiscussionComment", String(id));
  const thread = (id: unknown, resolved: boolean) => {
    const found = world.threads.find((each) => each.id === id) ?? missing("PullRequestReviewThread", String(id));
    found.resolved = resolved;
    return { thread: { id, isResolved: resolved } };
  };
  const state = (id: unknown, to: "open" | "closed", reason: string | null) => {
    setState(issue(id), to, reason);
    issue(id).updated = world.clock++;
    return { issue: issueNode(world, issue(id)) };
  };
  const draft = (id: unknown, isDraft: boolean) => {
    if (pull(id).state !== "open") throw new Error("Pull request is closed");
    pull(id).draft = isDraft;
    return { pullRequest: pullNode(world, pull(id)) };
  };
  const answer = (id: unknown, isAnswer: boolean) => {
    if (isAnswer && world.discussion.some((each) => each.isAnswer && each.id !== id))
      throw new Error("The discussion has an answer already");
    comment(id).isAnswer = isAnswer;
    return { discussion: discussionOf(world) };
  };
  return {
    closeIssue: ({ input }: Given) => state(input["issueId"], "closed", String(input["stateReason"] ?? "COMPLETED").toLowerCase()),
    reopenIssue: ({ input }: Given) => state(input["issueId"], "open", null),
    setIssueFieldValue: ({ input }: Given) => setFields(world, issue(input["issueId"]), input["issueFields"] as FieldInput[]),
    createLabel: ({ input }: Given) => {
      const { name, color, description } = input as { name: string; color: string; description?: string };
      if (world.labels.some((each) => each.name.toLowerCase() === name.toLowerCase())) throw new Error("Name has already been taken");
      const made = { id: `L${world.next++}`, name, color, description: description ?? null };
      world.labels.push(made);
      return { label: labelNode(made) };
    },
    updateLabel: ({ input }: Given) => {
      const changed = label(input["id"]);
      const { name = changed.name, color = changed.color, description = changed.description } = input as Partial<typeof changed>;
      for (const each of world.issues) each.labels = each.labels.map((one) => (one === changed.name ? name : one));
      Object.assign(changed, { name, color, description: description === "" ? null : description });
      return { label: labelNode(changed) };
    },
    deleteLabel: ({ input }: Given) => {
      const gone = label(input["id"]);
      world.labels = world.labels.filter((each) => each !== gone);
      for (const each of world.issues) each.labels = each.labels.filter((name) => name !== gone.name);
      return {};
    },
    convertPullRequestToDraft: ({ input }: Given) => draft(input["pullRequestId"], true),
    markPullRequestReadyForReview: ({ input }: Given) => draft(input["pullRequestId"], false),
    resolveReviewThread: ({ input }: Given) => thread(input["threadId"], true),
    unresolveReviewThread: ({ input }: Given) => thread(input["threadId"], false),
    addDiscussionComment: ({ input }: Given) => {
      const made = {
        id: `DC_${world.next++}`,
        body: String(input["body"]),
        isAnswer: false,
        replyTo: (input["replyToId"] as string | undefined) ?? null,
      };
      world.discussion.push(made);
      return { comment: commentNode(world, made) };
    },
    updateDiscussionComment: ({ input }: Given) => {
      comment(input["commentId"]).body = String(input["body"]);
      return { comment: commentNode(world, comment(input["commentId"])) };
    },
    deleteDiscussionComment: ({ input }: Given) => {
      const gone = comment(input["id"]);
      world.discussion = world.discussion.filter((each) => each !== gone && each.replyTo !== gone.id);
      return { comment: commentNode(world, gone) };
    },
    markDiscussionCommentAsAnswer: ({ input }: Given) => answer(input["id"], true),
    unmarkDiscussionCommentAsAnswer: ({ input }: Given) => answer(input["id"], false),
  };
}

interface FieldInput {
  readonly fieldId: string;
  readonly textValue?: string;
  readonly numberValue?: number;
  readonly dateValue?: string;
  readonly delete?: boolean;
}

function setFields(world: World, issue: World["issues"][number], inputs: readonly FieldInput[]): object {
  for (const input of inputs) {
    const { name } = world.fields.find(({ id }) => id === input.fieldId) ?? missing("IssueField", input.fieldId);
    const value = input.textValue ?? input.numberValue ?? input.dateValue;
    if (value === undefined) delete issue.fields[name];
    else issue.fields[name] = value;
  }
  issue.updated = world.clock++;
  return { issue: issueNode(world, issue) };
}
