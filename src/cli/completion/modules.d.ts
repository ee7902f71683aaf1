// What does a shell's script look like to TypeScript? Its text.
declare module "*.bash" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: so it is imported
  export default text;
}
declare module "*.zsh" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: so it is imported
  export default text;
}
declare module "*.fish" {
  const text: string;
  // biome-ignore lint/style/noDefaultExport: so it is imported
  export default text;
}
