// What does the GraphQL API show of the world? Values as GraphQL's own executor takes them: a field is a value, or a function of its arguments.

import { parentOf } from "./issue-routes.ts";
import type { Comment, Field, Issue, Label, Pull, World } from "./world.ts";

/** Gives the fields of a query. */
export function queries(world: World): object {
  return {
    repository: ({ owner, name }: { owner: string; name: string }) =>
      owner === world.owner && name === world.repo ? repositoryOf(world) : missing("Repository", `${owner}/${name}`),
    node: ({ id }: { id: string }) => nodeOf(world, id),
    nodes: ({ ids }: { ids: string[] }) => ids.map((id) => nodeOf(world, id)),
  };
}

/** Gives what an id names; null where nothing does. */
export function nodeOf(world: World, id: string): object | null {
  const issue = world.issues.find((each) => issueId(each) === id);
  if (issue) return issueNode(world, issue);
  const comment = world.discussion.find((each) => each.id === id);
  return comment ? commentNode(world, comment) : null;
}

/** What GitHub says of what it can't find. @throws always */
export function missing(kind: string, what: string): never {
  throw new Error(`Could not resolve to a ${kind} with the name or id of '${what}'.`);
}

function repositoryOf(world: World): object {
  return {
    id: "R_1",
    nameWithOwner: `${world.owner}/${world.repo}`,
    isPrivate: false,
    issue: ({ number }: { number: number }) => {
      const issue = world.issues.find((each) => each.number === number);
      return issue ? issueNode(world, issue) : missing("Issue", String(number));
    },
    pullRequest: ({ number }: { number: number }) => {
      const pull = world.pulls.find((each) => each.number === number);
      return pull ? pullNode(world, pull) : missing("PullRequest", String(number));
    },
    label: ({ name }: { name: string }) => labelNode(world.labels.find((label) => label.name.toLowerCase() === name.toLowerCase())),
    discussion: ({ number }: { number: number }) => (number === 1 ? discussionOf(world) : missing("Discussion", String(number))),
    issueFields: { nodes: world.fields.map(fieldNode) },
  };
}

/** Gives a label; null where it isn't there. */
export function labelNode(label: Label | undefined): object | null {
  return label === undefined ? null : { ...label };
}

/** Gives the id of an issue among all nodes. */
export function issueId({ id }: Issue): string {
  return `I_${id}`;
}

/** Gives an issue. */
export function issueNode(world: World, issue: Issue): object {
  const children = world.issues.filter(({ id }) => issue.children.includes(id));
  const completed = children.filter(({ state }) => state === "closed").length;
  const values = world.fields.filter(({ name }) => issue.fields[name] !== undefined);
  const kinds = { TEXT: "Text", NUMBER: "Number", DATE: "Date" };
  return {
    __typename: "Issue",
    id: issueId(issue),
    number: issue.number,
    title: issue.title,
    state: issue.state.toUpperCase(),
    url: `http://github.test/${world.owner}/${world.repo}/issues/${issue.number}`,
    author: { login: world.user },
    repository: () => repositoryOf(world),
    labels: { nodes: world.labels.filter(({ name }) => issue.labels.includes(name)), totalCount: issue.labels.length },
    parent: () => {
      const parent = parentOf(world, issue);
      return parent ? issueNode(world, parent) : null;
    },
    issueFieldValues: {
      nodes: values.map((field) => ({
        __typename: `IssueField${kinds[field.type]}Value`,
        field: fieldNode(field),
        value: issue.fields[field.name],
      })),
    },
    closedByPullRequestsReferences: { nodes: [], totalCount: 0 },
    subIssuesSummary: {
      total: children.length,
      completed,
      percentCompleted: children.length === 0 ? 0 : Math.round((100 * completed) / children.length),
    },
  };
}

function fieldNode({ id, databaseId, name, type }: Field): object {
  return {
    __typename: `IssueField${{ TEXT: "Text", NUMBER: "Number", DATE: "Date" }[type]}`,
    id,
    name,
    fullDatabaseId: databaseId,
    dataType: type,
    visibility: "ALL",
  };
}

/** Gives a pull request. */
export function pullNode(world: World, pull: Pull): object {
  return {
    id: `PR_${pull.id}`,
    number: pull.number,
    title: pull.title,
    state: pull.state.toUpperCase(),
    url: `http://github.test/${world.owner}/${world.repo}/pull/${pull.number}`,
    author: { login: world.user },
    repository: () => repositoryOf(world),
    isDraft: pull.draft,
  };
}

/** Gives the one discussion. */
export function discussionOf(world: World): object {
  return { id: "D_1", url: "http://github.test/discussions/1", comments: connection(world, null) };
}

/** Gives a comment, and what replies to it. */
export function commentNode(world: World, { id, body, isAnswer }: Comment): object {
  return {
    __typename: "DiscussionComment",
    id,
    body,
    isAnswer,
    url: `http://github.test/discussions/1#${id}`,
    discussion: () => discussionOf(world),
    replies: connection(world, id),
  };
}

/** A page of comments: the cursor is how many came before. */
function connection(world: World, replyTo: string | null) {
  return ({ first = 100, after }: { first?: number; after?: string | null }) => {
    const all = world.discussion.filter((comment) => comment.replyTo === replyTo);
    const start = Number(after ?? 0);
    const end = Math.min(all.length, start + first);
    const pageInfo = { hasNextPage: end < all.length, hasPreviousPage: start > 0, startCursor: String(start), endCursor: String(end) };
    return { nodes: all.slice(start, end).map((comment) => commentNode(world, comment)), totalCount: all.length, pageInfo };
  };
}
