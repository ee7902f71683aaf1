// What do the parsers' bare files look like to TypeScript? Their packages describe only the entry points that look for files on the disk.
declare module "*.wasm" {
  /** Where the file is; inside of the executable too. */
  const path: string;
  // biome-ignore lint/style/noDefaultExport: so it is imported
  export default path;
}

declare module "libpg-query/wasm/libpg-query.js" {
  /** What is used of the C library. Addresses are numbers; what is allocated has to be freed. */
  export interface PgQuery {
    lengthBytesUTF8(text: string): number;
    stringToUTF8(text: string, address: number, size: number): void;
    UTF8ToString(address: number): string;
    getValue(address: number, type: "i32"): number;
    _malloc(size: number): number;
    _free(address: number): void;
    /** Gives a PgQueryParseResult: parse_tree, stderr_buffer, error. */
    _wasm_parse_query_raw(text: number): number;
    _wasm_free_parse_result(result: number): void;
  }
  // biome-ignore lint/style/noDefaultExport: so it is exported
  export default function instantiate(options: { locateFile: () => string }): Promise<PgQuery>;
}
