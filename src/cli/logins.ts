// Where are the logins to servers kept, and how does a command use them? In the system's keychain, or in the home where there is none. Loads
// what reads them only when a server is spoken to.
import { join } from "node:path";
import type { Login } from "../upstream/http/http-client.ts";
import type { LoginPlace } from "../upstream/oauth/login-store.ts";
import { commandLine } from "./command-line.ts";
import { homeFolder } from "./find-files.ts";
import type { Io } from "./io.ts";

/** Gives the place of the logins. SYNARTESIS_KEYCHAIN=off keeps them in files where a keychain would ask, or there is nobody to answer it. */
export function loginPlace(io: Pick<Io, "env" | "home" | "cwd">): LoginPlace {
  return { folder: join(homeFolder(io), "logins"), useKeychain: io.env["SYNARTESIS_KEYCHAIN"] !== "off" };
}

/** Gives what the login to a server at a URL gives, if somebody has logged in. */
export function loginTo(io: Io, name: string, url: URL): Login {
  let stored: Promise<Login> | undefined;
  const load = async () => {
    const { storedLogin } = await import("../upstream/oauth/stored-login.ts");
    return storedLogin({ name, url: url.href, place: loginPlace(io), command: commandLine(io, ["login", name]) });
  };
  const login = () => {
    stored ??= load();
    return stored;
  };
  return { token: async () => (await login()).token(), renew: async (refused) => (await login()).renew(refused) };
}
