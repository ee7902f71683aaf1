// What does the bundler need so that ink can be in the executable? Ink can be looked into by a package that isn't installed, and that would be looked for
// at the start; and React's build for developers has to stay out.

/** Puts nothing in place of react-devtools-core. */
export const withoutDevtools: Bun.BunPlugin = {
  name: "without-devtools",
  setup(build) {
    build.onResolve({ filter: /^react-devtools-core$/ }, () => ({ path: "react-devtools-core", namespace: "none" }));
    build.onLoad({ filter: /.*/, namespace: "none" }, () => ({ contents: "export default undefined", loader: "js" }));
  },
};

/** What has to be defined besides. */
export const FOR_PRODUCTION = { "process.env.NODE_ENV": JSON.stringify("production"), "process.env.DEV": JSON.stringify("false") };
