// Which executable does install.sh take on which machine? What `uname`, `ldd` and the processor say is played; the answer is read from what it asks for.
import { expect, test } from "bun:test";
import { INSTALL, makeMachine, testInstall } from "./fixture.ts";

interface Played {
  readonly system: string;
  readonly machine: string;
  readonly libc?: string;
  readonly avx2?: boolean;
  readonly rosetta?: boolean;
  readonly bits?: number;
  readonly android?: boolean;
}

/** What install.sh says on such a machine: the executable that it looked for, or why there is none. */
async function takes(played: Played): Promise<string> {
  using machine = makeMachine();
  const { system, machine: arch, libc = "ldd (GNU libc) 2.36", avx2 = true, rosetta = false, bits = 64, android = false } = played;
  machine.fake("uname", `case "$1" in -s) echo ${system} ;; -m) echo ${arch} ;; -o) echo ${android ? "Android" : system} ;; esac`);
  machine.fake("ldd", `echo "${libc}" >&2; exit 1`);
  machine.fake("getconf", `echo ${bits}`);
  machine.fake("sysctl", `case "$2" in *translated) echo ${rosetta ? 1 : 0} ;; *) echo ${avx2 ? "AVX2 BMI1" : "BMI1"} ;; esac`);
  machine.fake("grep", `case "$*" in *cpuinfo) exit ${avx2 ? 0 : 1} ;; *) exec ${Bun.which("grep")} "$@" ;; esac`);
  machine.files.set("SHA256SUMS", new TextEncoder().encode("nothing here\n"));
  const { err } = await machine.install([]);
  return err.replace(/^install\.sh: .*names no executable for ([a-z0-9-]*):.*\n$/, "$1");
}

testInstall("Linux, by processor and C library", async () => {
  const linux = { system: "Linux", machine: "x86_64" };
  expect(await takes(linux)).toBe("linux-x64");
  expect(await takes({ ...linux, avx2: false })).toBe("linux-x64-baseline");
  expect(await takes({ ...linux, libc: "musl libc (x86_64)" })).toBe("linux-x64-musl");
  expect(await takes({ ...linux, libc: "musl libc (x86_64)", avx2: false })).toBe("linux-x64-baseline-musl");
  expect(await takes({ ...linux, machine: "aarch64", avx2: false })).toBe("linux-arm64");
  expect(await takes({ ...linux, machine: "aarch64", libc: "musl libc (aarch64)" })).toBe("linux-arm64-musl");
});

testInstall("macOS, also as Rosetta shows it", async () => {
  expect(await takes({ system: "Darwin", machine: "arm64" })).toBe("darwin-arm64");
  expect(await takes({ system: "Darwin", machine: "x86_64" })).toBe("darwin-x64");
  expect(await takes({ system: "Darwin", machine: "x86_64", avx2: false })).toBe("darwin-x64-baseline");
  expect(await takes({ system: "Darwin", machine: "x86_64", avx2: false, rosetta: true })).toBe("darwin-arm64");
});

testInstall("where there is none, it says so: Windows is told of WSL", async () => {
  for (const system of ["MINGW64_NT-10.0-22631", "MSYS_NT-10.0", "CYGWIN_NT-10.0"])
    expect(await takes({ system, machine: "x86_64" })).toContain("inside WSL");
  expect(await takes({ system: "FreeBSD", machine: "amd64" })).toContain("no executable for FreeBSD");
  expect(await takes({ system: "Linux", machine: "riscv64" })).toContain("no executable for riscv64");
  expect(await takes({ system: "Linux", machine: "aarch64", bits: 32 })).toContain("32 bits");
  expect(await takes({ system: "Linux", machine: "aarch64", android: true })).toContain("Android");
});

test("its help names each option that it takes", () => {
  const text = new TextDecoder().decode(INSTALL);
  const taken = [...text.matchAll(/^ {6}(--[a-z]+)\)/gm)].map(([, option]) => option);
  const help = text.slice(text.indexOf("usage: install.sh"), text.indexOf("\nTEXT"));
  expect(taken.length).toBeGreaterThan(4);
  for (const option of taken) expect(help).toContain(String(option));
});
