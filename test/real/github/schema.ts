// Which part of GitHub's GraphQL schema does the stand-in have? What the server asks for, with GitHub's names and types: anything else is an error.

/** The schema, in GraphQL's own language. */
export const SCHEMA = `
  interface Node { id: ID! }
  type Actor { login: String! }
  type Repository { id: ID!, nameWithOwner: String!, isPrivate: Boolean!, issue(number: Int!): Issue, pullRequest(number: Int!): PullRequest,
    label(name: String!): Label, discussion(number: Int!): Discussion, issueFields(first: Int, after: String): IssueFieldConnection }
  type Label implements Node { id: ID!, name: String!, color: String!, description: String }
  type LabelConnection { nodes: [Label], totalCount: Int! }
  type Issue implements Node { id: ID!, number: Int!, title: String!, state: String!, url: String!, author: Actor, repository: Repository!,
    labels(first: Int): LabelConnection, parent: Issue, issueFieldValues(first: Int): IssueFieldValueConnection,
    closedByPullRequestsReferences(first: Int, includeClosedPrs: Boolean, orderByState: Boolean): PullRequestConnection, subIssuesSummary: SubIssuesSummary! }
  type SubIssuesSummary { total: Int!, completed: Int!, percentCompleted: Int! }
  type PullRequestConnection { nodes: [PullRequest], totalCount: Int! }
  type PullRequest implements Node { id: ID!, number: Int!, title: String!, state: String!, url: String!, author: Actor, repository: Repository!, isDraft: Boolean! }
  type PullRequestReviewThread implements Node { id: ID!, isResolved: Boolean! }
  interface IssueFieldCommon { name: String!, fullDatabaseId: String }
  type IssueFieldText implements Node & IssueFieldCommon { id: ID!, name: String!, fullDatabaseId: String, description: String, dataType: String!, visibility: String! }
  type IssueFieldNumber implements Node & IssueFieldCommon { id: ID!, name: String!, fullDatabaseId: String, description: String, dataType: String!, visibility: String! }
  type IssueFieldDate implements Node & IssueFieldCommon { id: ID!, name: String!, fullDatabaseId: String, description: String, dataType: String!, visibility: String! }
  type IssueFieldOption { id: ID!, name: String!, description: String, color: String, priority: Int, fullDatabaseId: String }
  type IssueFieldSingleSelect implements Node & IssueFieldCommon { id: ID!, name: String!, fullDatabaseId: String, description: String, dataType: String!, visibility: String!,
    options: [IssueFieldOption!]! }
  union IssueFields = IssueFieldText | IssueFieldNumber | IssueFieldDate | IssueFieldSingleSelect
  type IssueFieldConnection { nodes: [IssueFields] }
  type IssueFieldTextValue { field: IssueFields, value: String! }
  type IssueFieldNumberValue { field: IssueFields, value: Float! }
  type IssueFieldDateValue { field: IssueFields, value: String! }
  type IssueFieldSingleSelectValue { field: IssueFields, value: String! }
  union IssueFieldValue = IssueFieldTextValue | IssueFieldNumberValue | IssueFieldDateValue | IssueFieldSingleSelectValue
  type IssueFieldValueConnection { nodes: [IssueFieldValue] }
  type PageInfo { hasNextPage: Boolean!, hasPreviousPage: Boolean!, startCursor: String, endCursor: String }
  type Discussion implements Node { id: ID!, url: String!, comments(first: Int, after: String): DiscussionCommentConnection! }
  type DiscussionCommentConnection { nodes: [DiscussionComment], pageInfo: PageInfo!, totalCount: Int! }
  type DiscussionComment implements Node { id: ID!, url: String!, body: String!, isAnswer: Boolean!, discussion: Discussion,
    replies(first: Int): DiscussionCommentConnection! }
  type Query { repository(owner: String!, name: String!): Repository, node(id: ID!): Node, nodes(ids: [ID!]!): [Node]! }

  enum IssueClosedStateReason { COMPLETED NOT_PLANNED DUPLICATE }
  input CloseIssueInput { issueId: ID!, stateReason: IssueClosedStateReason, duplicateIssueId: ID, clientMutationId: String }
  input ReopenIssueInput { issueId: ID!, clientMutationId: String }
  input CreateLabelInput { repositoryId: ID!, name: String!, color: String!, description: String, clientMutationId: String }
  input UpdateLabelInput { id: ID!, name: String, color: String, description: String, clientMutationId: String }
  input DeleteLabelInput { id: ID!, clientMutationId: String }
  input ConvertPullRequestToDraftInput { pullRequestId: ID!, clientMutationId: String }
  input MarkPullRequestReadyForReviewInput { pullRequestId: ID!, clientMutationId: String }
  input ResolveReviewThreadInput { threadId: ID!, clientMutationId: String }
  input UnresolveReviewThreadInput { threadId: ID!, clientMutationId: String }
  input AddDiscussionCommentInput { discussionId: ID!, body: String!, replyToId: ID, clientMutationId: String }
  input UpdateDiscussionCommentInput { commentId: ID!, body: String!, clientMutationId: String }
  input DeleteDiscussionCommentInput { id: ID!, clientMutationId: String }
  input MarkDiscussionCommentAsAnswerInput { id: ID!, clientMutationId: String }
  input UnmarkDiscussionCommentAsAnswerInput { id: ID!, clientMutationId: String }
  input IssueFieldCreateOrUpdateInput { fieldId: ID!, textValue: String, numberValue: Float, dateValue: String, singleSelectOptionId: ID, delete: Boolean,
    rationale: String, confidence: String, suggest: Boolean }
  input SetIssueFieldValueInput { issueId: ID!, issueFields: [IssueFieldCreateOrUpdateInput!]!, clientMutationId: String }
  type IssuePayload { issue: Issue }
  type LabelPayload { label: Label }
  type DeletePayload { clientMutationId: String }
  type PullRequestPayload { pullRequest: PullRequest }
  type ThreadPayload { thread: PullRequestReviewThread }
  type CommentPayload { comment: DiscussionComment }
  type DiscussionPayload { discussion: Discussion }
  type Mutation {
    closeIssue(input: CloseIssueInput!): IssuePayload
    reopenIssue(input: ReopenIssueInput!): IssuePayload
    setIssueFieldValue(input: SetIssueFieldValueInput!): IssuePayload
    createLabel(input: CreateLabelInput!): LabelPayload
    updateLabel(input: UpdateLabelInput!): LabelPayload
    deleteLabel(input: DeleteLabelInput!): DeletePayload
    convertPullRequestToDraft(input: ConvertPullRequestToDraftInput!): PullRequestPayload
    markPullRequestReadyForReview(input: MarkPullRequestReadyForReviewInput!): PullRequestPayload
    resolveReviewThread(input: ResolveReviewThreadInput!): ThreadPayload
    unresolveReviewThread(input: UnresolveReviewThreadInput!): ThreadPayload
    addDiscussionComment(input: AddDiscussionCommentInput!): CommentPayload
    updateDiscussionComment(input: UpdateDiscussionCommentInput!): CommentPayload
    deleteDiscussionComment(input: DeleteDiscussionCommentInput!): CommentPayload
    markDiscussionCommentAsAnswer(input: MarkDiscussionCommentAsAnswerInput!): DiscussionPayload
    unmarkDiscussionCommentAsAnswer(input: UnmarkDiscussionCommentAsAnswerInput!): DiscussionPayload
  }
`;
