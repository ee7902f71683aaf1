// What does the REST API answer about issues, sub-issues and dependencies? What isn't valid is refused (422), as GitHub does, and nothing is changed then.
import { type Asked, check, found, ok, Refusal, type Route } from "./answer.ts";
import { type Issue, newIssue, type World } from "./world.ts";

/** The routes under `repos/OWNER/REPO/`. */
export function issueRoutes(world: World): readonly Route[] {
  const numbered = ({ parts: [number] }: Asked) => found(world.issues.find((issue) => issue.number === Number(number)));
  const byId = (id: unknown) => world.issues.find((issue) => issue.id === Number(id));
  const json = (issue: Issue) => issueJson(world, issue);
  const listed = (ids: readonly number[]) => ok(ids.map((id) => json(found(byId(id)))));
  return [
    ["GET", /^issues\/(\d+)$/, (asked) => ok(json(numbered(asked)))],
    [
      "POST",
      /^issues$/,
      ({ body }) => {
        check(typeof body["title"] === "string" && body["title"] !== "", "title");
        checkFields(world, body);
        const issue = newIssue(world, { title: "" });
        change(world, issue, body);
        return ok(json(issue), 201);
      },
    ],
    [
      "PATCH",
      /^issues\/(\d+)$/,
      (asked) => {
        const issue = numbered(asked);
        checkFields(world, asked.body);
        change(world, issue, asked.body);
        return ok(json(issue));
      },
    ],
    ["GET", /^issues\/(\d+)\/sub_issues$/, (asked) => listed(numbered(asked).children)],
    [
      "POST",
      /^issues\/(\d+)\/sub_issues$/,
      (asked) => {
        const [parent, child] = [numbered(asked), found(byId(asked.body["sub_issue_id"]))];
        const other = parentOf(world, child);
        check(other === undefined || (asked.body["replace_parent"] === true && other !== parent), "Sub-issue already has a parent");
        if (other !== undefined) other.children = other.children.filter((id) => id !== child.id);
        parent.children.push(child.id);
        return ok(json(parent), 201);
      },
    ],
    [
      "DELETE",
      /^issues\/(\d+)\/sub_issue$/,
      (asked) => {
        const [parent, id] = [numbered(asked), Number(asked.body["sub_issue_id"])];
        if (!parent.children.includes(id)) throw new Refusal(404, "Not Found");
        parent.children = parent.children.filter((child) => child !== id);
        return ok(json(parent));
      },
    ],
    [
      "PATCH",
      /^issues\/(\d+)\/sub_issues\/priority$/,
      (asked) => {
        const parent = numbered(asked);
        const [id, after, before] = ["sub_issue_id", "after_id", "before_id"].map((name) => asked.body[name] as number | undefined);
        const rest = parent.children.filter((child) => child !== id);
        const at = rest.indexOf(after ?? before ?? -1);
        check(id !== undefined && rest.length < parent.children.length && at >= 0, "sub-issue not found");
        parent.children = rest.toSpliced(after === undefined ? at : at + 1, 0, id as number);
        return ok(json(parent));
      },
    ],
    ["GET", /^issues\/(\d+)\/dependencies\/blocked_by$/, (asked) => listed(numbered(asked).blockedBy)],
    [
      "GET",
      /^issues\/(\d+)\/dependencies\/blocking$/,
      (asked) => listed(world.issues.filter(({ blockedBy }) => blockedBy.includes(numbered(asked).id)).map(({ id }) => id)),
    ],
    [
      "POST",
      /^issues\/(\d+)\/dependencies\/blocked_by$/,
      (asked) => {
        const [issue, id] = [numbered(asked), found(byId(asked.body["issue_id"])).id];
        check(!issue.blockedBy.includes(id), "Dependency already exists");
        issue.blockedBy.push(id);
        return ok(json(issue), 201);
      },
    ],
    [
      "DELETE",
      /^issues\/(\d+)\/dependencies\/blocked_by\/(\d+)$/,
      (asked) => {
        const [issue, id] = [numbered(asked), Number(asked.parts[1])];
        if (!issue.blockedBy.includes(id)) throw new Refusal(404, "Not Found");
        issue.blockedBy = issue.blockedBy.filter((each) => each !== id);
        return ok(json(issue));
      },
    ],
  ];
}

/** Gives the issue that has this one as a sub-issue. */
export function parentOf(world: World, { id }: Issue): Issue | undefined {
  return world.issues.find(({ children }) => children.includes(id));
}

function checkFields(world: World, body: Asked["body"]): void {
  const { title, state, milestone, type } = body;
  check(title === undefined || (typeof title === "string" && title.trim() !== ""), "title");
  check(state === undefined || state === "open" || state === "closed", "state");
  check(milestone === undefined || milestone === null || world.milestones.some(({ number }) => number === milestone), "milestone");
  check(type === undefined || type === null || world.types.includes(String(type)), "type");
}

function change(world: World, issue: Issue, body: Asked["body"]): void {
  const { title, body: text, labels, assignees, milestone, type, state, state_reason: reason } = body as Partial<Issue>;
  if (title !== undefined) issue.title = title;
  if (text !== undefined) issue.body = text === "" ? null : text;
  if (labels !== undefined) {
    issue.labels = [...new Set(labels)];
    for (const name of labels.filter((each) => !world.labels.some((label) => label.name === each)))
      world.labels.push({ id: `L${world.next++}`, name, color: "ededed", description: null });
  }
  if (assignees !== undefined) issue.assignees = [...new Set(assignees)];
  if (milestone !== undefined) issue.milestone = milestone;
  if (type !== undefined) issue.type = type;
  if (state !== undefined) setState(issue, state, reason ?? null);
  issue.updated = world.clock++;
}

/** Opens or closes an issue; what is so already stays as it is, but for the reason that is given. */
export function setState(issue: Issue, state: Issue["state"], reason: string | null): void {
  if (state === "closed") issue.state_reason = reason ?? (issue.state === "closed" ? issue.state_reason : "completed");
  else if (issue.state === "closed") issue.state_reason = "reopened";
  issue.state = state;
}

function issueJson(world: World, issue: Issue): object {
  const { id, number, title, body, state, state_reason, updated } = issue;
  const milestone = world.milestones.find((each) => each.number === issue.milestone) ?? null;
  return {
    id,
    node_id: `I_${id}`,
    number,
    title,
    body,
    state,
    state_reason,
    milestone,
    html_url: `http://github.test/${world.owner}/${world.repo}/issues/${number}`,
    repository_url: `http://github.test/api/v3/repos/${world.owner}/${world.repo}`,
    user: { login: world.user },
    labels: issue.labels.map((name) => ({ name, color: world.labels.find((label) => label.name === name)?.color })),
    assignees: issue.assignees.map((login) => ({ login })),
    type: issue.type === null ? null : { name: issue.type },
    created_at: "2026-01-01T00:00:00Z",
    updated_at: new Date(updated * 1000).toISOString(),
    ...(state === "closed" ? { closed_at: new Date(updated * 1000).toISOString(), closed_by: { login: world.user } } : {}),
  };
}
