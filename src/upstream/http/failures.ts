// What went wrong with an HTTP request, in words for a person, and is it certain that the message was not acted upon? Judged by codes and
// statuses, never by texts. No header, query or password of ours is ever part of the words.
import { systemCode } from "../../errors.ts";
import { mediaType } from "../../wire/http/body.ts";
import type { Loss } from "../upstream.ts";

/** The request never left this machine, or never reached a server that speaks HTTP. */
const NEVER_LEFT: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there (connection refused)",
  EHOSTUNREACH: "that host can't be reached",
  ENETUNREACH: "that network can't be reached",
  ENOTFOUND: "that name is unknown (DNS)",
  EAI_AGAIN: "that name can't be looked up now (DNS)",
  EAI_NONAME: "that name is unknown (DNS)",
  EPROTO: "the TLS handshake failed; does it speak https there?",
};
const TLS_CODE = /CERT|_SSL_|TLS|ALTNAME|ISSUER|SIGNATURE/;

/** Statuses by which a server refuses a message without having acted upon it (RFC 9110, section 15.5). */
const REFUSALS: readonly number[] = [400, 401, 403, 404, 405, 406, 411, 413, 414, 415, 421, 426, 429, 431];

/** Says why `fetch` failed. */
export function failureOf(error: unknown, url: URL): Loss {
  const code = systemCode(error) ?? "unknown error";
  const known = NEVER_LEFT[code];
  if (known !== undefined) return { why: `${url.origin}: ${known}`, sent: false };
  if (TLS_CODE.test(code)) {
    const why = `${url.origin}: its certificate isn't accepted (${code}); for an authority of your own set NODE_EXTRA_CA_CERTS`;
    return { why, sent: false };
  }
  return { why: `${url.origin}: the connection broke (${code})`, sent: true };
}

/** Says what a status that is no success means; `body` is what came with it, or its beginning. */
export function statusLoss(response: Response, body: Uint8Array): Loss {
  const sent = !REFUSALS.includes(response.status);
  const words = bodyWords(response, body);
  return { why: `it answers ${statusText(response)}${words === "" ? "" : `: ${words}`}`, sent };
}

/** Names a status: `HTTP 503 Service Unavailable`. */
export function statusText({ status, statusText: text }: Response): string {
  return `HTTP ${status}${text === "" ? "" : ` ${text}`}`;
}

/** Says where a redirect leads; it isn't followed there. */
export function redirectLoss(response: Response, from: URL): Loss {
  const target = redirectTarget(response, from);
  const where = target === undefined ? "nowhere" : `${target.origin}${target.pathname}`;
  return { why: `it redirects to ${where} (${statusText(response)}); if that is right, put it into the manifest as \`url\``, sent: false };
}

/** Gives the address that a redirect leads to; undefined where it names none. */
export function redirectTarget(response: Response, from: URL): URL | undefined {
  const location = response.headers.get("location");
  return location === null ? undefined : (URL.parse(location, from.href) ?? undefined);
}

/** At most a line of what the body says; of a web page, its title. */
function bodyWords(response: Response, body: Uint8Array): string {
  const type = mediaType(response.headers.get("content-type"));
  const text = new TextDecoder().decode(body.subarray(0, 2000));
  if (type === "text/html" || /^\s*<(?:!doctype|html)/i.test(text)) {
    const title = /<title[^>]*>([^<]*)/i.exec(text)?.[1]?.trim() ?? "";
    return title === "" ? "a web page" : `a web page, ${JSON.stringify(title.slice(0, 100))}`;
  }
  const line = text.replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, " ").trim();
  return line.length > 200 ? `${line.slice(0, 200)}…` : line;
}
