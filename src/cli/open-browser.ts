// How is an address opened in a person's browser? By the system's own opener, if there is one. Nobody depends on it: the address is printed too.
import { platform } from "node:os";

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Tries to open an address. */
export function openBrowser(address: URL): void {
  const opener = OPENERS[platform()] ?? ["xdg-open"];
  try {
    Bun.spawn([...opener, address.href], { stdin: "ignore", stdout: "ignore", stderr: "ignore" }).unref();
  } catch {
    // There is no opener: the person opens the printed address.
  }
}
