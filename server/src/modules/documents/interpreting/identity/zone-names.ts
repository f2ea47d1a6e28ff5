/** A reading of the names of a machine-readable zone; fillers separate the parts of each. */
interface ZoneNames {
  familyName: string;
  givenName: string;
  /** They fill their item, so their end may be missing. */
  areFull: boolean;
}

/** Text recognition reads fillers as these letters, more often in long runs. */
const RUN = /[KCLSE]*<[<KCLSE]*/g;
const LONG_END = 4;
const MOST_VARIANTS = 24;

/**
 * The readings of the names' item: unchanged, and with the letters between fillers taken for fillers, too. None has a
 * check digit, so each counts only if the print shows the same name.
 */
export function listZoneNames(item: string): readonly ZoneNames[] {
  let variants: readonly string[] = [""];
  let end = 0;
  for (const { index, 0: run } of item.matchAll(RUN)) {
    const between = item.slice(end, index);
    const isLast = index + run.length === item.length;
    variants = variants
      .flatMap((text) => listRuns(run, isLast).map((read) => text + between + read))
      .slice(0, MOST_VARIANTS);
    end = index + run.length;
  }
  const rest = item.slice(end);
  return [item, ...variants.map((text) => text + rest)].map(split);
}

/** A run of fillers and letters: the letters before its first filler end a name; those after its last one may begin the next. */
function listRuns(run: string, isLast: boolean): readonly string[] {
  const first = run.indexOf("<");
  const last = run.lastIndexOf("<");
  const inner = run.slice(first, last + 1);
  const filled = run.slice(0, first) + "<".repeat(inner.length);
  const letters = run.slice(last + 1);
  // Letters after fillers are in doubt only if letters are between fillers, or if many of them end the item.
  const isDoubtful = /[A-Z]/.test(inner) || (isLast && letters.length >= LONG_END);
  if (!isDoubtful) return [filled + letters];
  return [...letters]
    .map((_, index) => filled + "<".repeat(index) + letters.slice(index))
    .concat(filled + "<".repeat(letters.length));
}

/** Two fillers end the family name, and two more end all names. */
function split(item: string): ZoneNames {
  const [familyName = "", ...rest] = item.split(/<<+/);
  const [givenName = ""] = rest;
  return { familyName, givenName: givenName.replace(/<$/, ""), areFull: !item.endsWith("<") && rest.length < 2 };
}
