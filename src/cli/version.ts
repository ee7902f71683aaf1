// Which build is this? The build script puts these three in; from source they are unknown. Never read from a file at run time.
declare const BUILD_VERSION: string;
declare const BUILD_COMMIT: string;
declare const BUILD_TARGET: string;

/** The version of package.json, such as `1.0.0-alpha.1`. */
export const VERSION: string = typeof BUILD_VERSION === "string" ? BUILD_VERSION : "0.0.0-source";
const commit = typeof BUILD_COMMIT === "string" ? BUILD_COMMIT : "unknown";
const target = typeof BUILD_TARGET === "string" ? BUILD_TARGET : "source";

/** The line that `--version` prints, such as `synartesis 1.0.0-alpha.1 (commit abc1234, bun-linux-x64)`. */
export const VERSION_LINE = `synartesis ${VERSION} (commit ${commit}, ${target})`;
