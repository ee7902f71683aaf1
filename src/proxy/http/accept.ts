// Which kinds of answer does a client take? Read from its Accept header; without one, every kind (RFC 9110, section 12.5.1).

/** What a client takes. */
export interface Accepted {
  readonly json: boolean;
  readonly events: boolean;
}

/** Reads an Accept header. */
export function acceptedBy(request: Request): Accepted {
  const header = request.headers.get("accept");
  if (header === null || header.trim() === "") return { json: true, events: true };
  const kinds = header.split(",").flatMap((part) => {
    const [kind = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
    return parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)) ? [] : [kind];
  });
  const takes = (main: string, sub: string) => kinds.some((kind) => kind === `${main}/${sub}` || kind === `${main}/*` || kind === "*/*");
  return { json: takes("application", "json"), events: takes("text", "event-stream") };
}
