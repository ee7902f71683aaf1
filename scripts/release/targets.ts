// For which systems is a release built, and on which Bun? Each runtime is pinned by its digest: what a registry says today never decides what is shipped.

export interface Target {
  /** As install.sh and the names of the archives have it; `bun-NAME` is Bun's word for it. */
  readonly name: string;
  /** The npm package with Bun's runtime for it. */
  readonly runtime: string;
  /** That package's digest at BUN_VERSION, as npm's registry and package-lock.json write it. */
  readonly integrity: string;
  readonly format: "elf" | "mach-o";
  readonly arch: "x64" | "arm64";
  /** The C library's loader, in an ELF file. */
  readonly loader?: string;
}

/** The version that the runtimes below have: that of the `bun` in package.json. */
export const BUN_VERSION = "1.4.5";

const GLIBC_X64 = { format: "elf", arch: "x64", loader: "/lib64/ld-linux-x86-64.so.2" } as const;
const GLIBC_ARM64 = { format: "elf", arch: "arm64", loader: "/lib/ld-linux-aarch64.so.1" } as const;
const MUSL_X64 = { format: "elf", arch: "x64", loader: "/lib/ld-musl-x86_64.so.1" } as const;
const MUSL_ARM64 = { format: "elf", arch: "arm64", loader: "/lib/ld-musl-aarch64.so.1" } as const;
const MAC_X64 = { format: "mach-o", arch: "x64" } as const;
const MAC_ARM64 = { format: "mach-o", arch: "arm64" } as const;

/** Every target of a release. `baseline` is for processors without AVX2. */
export const TARGETS: readonly Target[] = [
  {
    name: "linux-x64",
    runtime: "@oven/bun-linux-x64",
    integrity: "sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==",
    ...GLIBC_X64,
  },
  {
    name: "linux-x64-baseline",
    runtime: "@oven/bun-linux-x64-baseline",
    integrity: "sha512-s8yMwYcFnnrA178gji0gZbkE2WVDej/Ti1x770oPfihxyRxSMNhGhiAQNXV53aDeraZxksdvKV/RAdQBCd0qPA==",
    ...GLIBC_X64,
  },
  {
    name: "linux-arm64",
    runtime: "@oven/bun-linux-aarch64",
    integrity: "sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==",
    ...GLIBC_ARM64,
  },
  {
    name: "linux-x64-musl",
    runtime: "@oven/bun-linux-x64-musl",
    integrity: "sha512-10QoW/YfTgnURaGEaHpJCiXjLI2e5iTtfVDaA5JKcyUzaa1cq6cVUY9/Uq5XkYzvtRjHLRe9Oj/lTDIQcxy8HQ==",
    ...MUSL_X64,
  },
  {
    name: "linux-x64-baseline-musl",
    runtime: "@oven/bun-linux-x64-musl-baseline",
    integrity: "sha512-cWJhU8h0+MiUgpSt99sQhjxLIIosKEcKYdtKddohokUvAuN6jKOy7g7+QDTZTXtwHxz93wL3BX+L6wXVPDUH3A==",
    ...MUSL_X64,
  },
  {
    name: "linux-arm64-musl",
    runtime: "@oven/bun-linux-aarch64-musl",
    integrity: "sha512-XCNc+WvvMAdNNb+OWTogpy+N9wm62fkVeEVLb6how0RZhW5LPi6c7BlkeVCuWps7XjEl2saFpHFa20/1E+PAHg==",
    ...MUSL_ARM64,
  },
  {
    name: "darwin-x64",
    runtime: "@oven/bun-darwin-x64",
    integrity: "sha512-qkLPMGHZM9NI6CeHTWwVezzmlo6cC4Ta7yUAjYIWXS366qQcOlcp75t2uZyiuVRBMPS0h9qE0tCcvCHGaFqjJg==",
    ...MAC_X64,
  },
  {
    name: "darwin-x64-baseline",
    runtime: "@oven/bun-darwin-x64-baseline",
    integrity: "sha512-zqfLA5A4B+hYMh5WYzYSot3uZ06FzhdP0OEwQisEzdirYtXGj5cQFlfy31BGfNsAsk1Gd/w/OxJ/jqqJ3cMclw==",
    ...MAC_X64,
  },
  {
    name: "darwin-arm64",
    runtime: "@oven/bun-darwin-aarch64",
    integrity: "sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==",
    ...MAC_ARM64,
  },
];
