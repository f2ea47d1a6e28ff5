import { registerHooks } from "node:module";

export interface Replacement {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** Other texts in source files that are loaded from now on. Call the result to know that each was found. */
export function replaceSource(replacements: readonly Replacement[]): () => void {
  const open = new Set(replacements);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      for (const one of replacements) {
        if (!url.endsWith(`/${one.file}`)) continue;
        const { source: text = "" } = loaded;
        const source = typeof text === "string" ? text : new TextDecoder().decode(text ?? undefined);
        if (source.split(one.from).length !== 2) throw new Error(`${one.file} does not have "${one.from}" once.`);
        loaded.source = source.replace(one.from, () => one.to);
        open.delete(one);
      }
      return loaded;
    },
  });
  return () => {
    for (const { file } of open) throw new Error(`${file} was not loaded, and its guard is still there.`);
  };
}
