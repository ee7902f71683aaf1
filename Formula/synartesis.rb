# Made by scripts/release/formula.ts; each release makes it anew.
class Synartesis < Formula
  desc "Undo layer for AI agents: records MCP tool calls and puts their changes back"
  homepage "https://github.com/synartesis/synartesis"
  version "1.0.0-alpha.1"
  license "MIT"

  disable! date: "2026-01-01", because: "has no release yet; ./install.sh in a checkout builds it"

  on_macos do
    on_arm do
      url "https://github.com/synartesis/synartesis/releases/download/v1.0.0-alpha.1/synartesis-1.0.0-alpha.1-darwin-arm64.tar.gz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
    on_intel do
      url "https://github.com/synartesis/synartesis/releases/download/v1.0.0-alpha.1/synartesis-1.0.0-alpha.1-darwin-x64-baseline.tar.gz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/synartesis/synartesis/releases/download/v1.0.0-alpha.1/synartesis-1.0.0-alpha.1-linux-arm64.tar.gz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
    on_intel do
      url "https://github.com/synartesis/synartesis/releases/download/v1.0.0-alpha.1/synartesis-1.0.0-alpha.1-linux-x64-baseline.tar.gz"
      sha256 "0000000000000000000000000000000000000000000000000000000000000000"
    end
  end

  def install
    bin.install "synartesis"
    generate_completions_from_executable(bin/"synartesis", "completions", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_match "synartesis #{version} ", shell_output("#{bin}/synartesis --version")
    assert_match "undo", shell_output("#{bin}/synartesis demo")
  end
end
