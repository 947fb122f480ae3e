/** What build.mjs makes, CSS, and a library without types. */
declare module "farlink:animation" {
  /** Texts by file name. */
  const files: Readonly<Record<string, string>>;
  export default files;
}

declare module "*.css";

declare module "jstat" {
  const jstat: unknown;
  export default jstat;
}
