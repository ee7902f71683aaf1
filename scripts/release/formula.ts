// What does Homebrew's formula say? Where a release's archives are and what their checksums are. `bun scripts/release/formula.ts` writes the one that says
// that there is no release yet; a release makes its own.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { archiveName, REPOSITORY, ROOT, VERSION } from "./repository.ts";

/** What a formula is made for: a released version and the SHA-256 of each of its archives by target, or none yet. */
export type FormulaOf =
  | { readonly kind: "released"; readonly version: string; readonly digests: ReadonlyMap<string, string> }
  | { readonly kind: "unreleased" };

/** The targets that the formula takes. Of two for a processor it is the one that runs on each: Homebrew supports some without AVX2. */
export const FORMULA_TARGETS = {
  macos: { arm: "darwin-arm64", intel: "darwin-x64-baseline" },
  linux: { arm: "linux-arm64", intel: "linux-x64-baseline" },
} as const;

/** The text of Formula/synartesis.rb. Throws if a digest is missing. */
export function formulaText(of: FormulaOf): string {
  const version = of.kind === "released" ? of.version : VERSION;
  const digestOf = (target: string) => {
    const digest = of.kind === "released" ? of.digests.get(target) : "0".repeat(64);
    if (digest === undefined) throw new Error(`the release has no archive for ${target}, which the formula needs`);
    return digest;
  };
  const place = (target: string) =>
    `      url "https://github.com/${REPOSITORY}/releases/download/v${version}/${archiveName(version, target)}"\n      sha256 "${digestOf(target)}"`;
  const system = (name: keyof typeof FORMULA_TARGETS) => {
    const { arm, intel } = FORMULA_TARGETS[name];
    return `  on_${name} do\n    on_arm do\n${place(arm)}\n    end\n    on_intel do\n${place(intel)}\n    end\n  end\n`;
  };
  return `# Made by scripts/release/formula.ts; each release makes it anew.
class Synartesis < Formula
  desc "Undo layer for AI agents: records MCP tool calls and puts their changes back"
  homepage "https://github.com/${REPOSITORY}"
  version "${version}"
  license "MIT"
${of.kind === "unreleased" ? '\n  disable! date: "2026-01-01", because: "has no release yet; ./install.sh in a checkout builds it"\n' : ""}
${system("macos")}
${system("linux")}
  def install
    bin.install "synartesis"
    generate_completions_from_executable(bin/"synartesis", "completions", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match "synartesis #{version} ", shell_output("#{bin}/synartesis --version")
    assert_match "undo", shell_output("#{bin}/synartesis demo")
  end
end
`;
}

if (import.meta.main) writeFileSync(join(ROOT, "Formula", "synartesis.rb"), formulaText({ kind: "unreleased" }));
