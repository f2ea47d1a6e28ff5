import { buildGraph, findCycles, type Graph } from "./cycles.ts";
import { isTest, listTargets, type SourceFile } from "./source.ts";

/**
 * The graph of modules. Each module's `context.ts` names the modules that it needs, and from that the compiler knows whose stores,
 * parts and ports it may use. What the compiler cannot see is found here: imports and tables of other modules.
 */

const MODULES = "server/src/modules/";

/** Tables whose first migration was released by another module than the one that they belong to now. */
const MOVED_TABLES: Readonly<Record<string, string>> = {
  guest_mail_count: "outbox",
  ledger_account: "ledger",
  ledger_entry: "ledger",
  ledger_transaction: "ledger",
  pricing_policy: "pricing",
  traveler_customer: "travelers",
  traveler_profile: "travelers",
  webhook_endpoint: "supplier-events",
  webhook_event: "supplier-events",
};

const NEEDS = /^type Needs =([^;]*);/m;
const SEEN_BY_OTHERS =
  /\b(?:AggregatesOf|StoresOf|ReadsOf|PortsOf|PartsOf|PartMakersOf|OwnedBy|defineAnyTool|defineAnyModule)\b/;
const REGISTRY = /^ {2}interface (Module(?:Stores|Parts|Ports|Settings)) \{$(.*?)^ {2}\}$/gms;
const REGISTERED = /^ {4}(?:readonly )?"([\w-]+)\.(\w+)"/gm;
const CREATED_TABLE = /\bcreate table (\w+)/g;
const COMMENT = /\/\*.*?\*\/|\/\/[^\n]*/gs;
const QUERIED_TABLE =
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom|innerJoin|leftJoin)\(\s*\[?"(\w+)|\b(?:from|join|into|update) (?:only )?([a-z_]+)\b/g;

function findModule(path: string): string | undefined {
  const [name = "", ...rest] = path.startsWith(MODULES) ? path.slice(MODULES.length).split("/") : [];
  return rest.length === 0 ? undefined : name;
}

const isOwn = (file: SourceFile): boolean => findModule(file.path) !== undefined && !isTest(file);
const isContext = ({ path }: SourceFile): boolean => path === `${MODULES}${findModule(path)}/context.ts`;
const isMigration = ({ path }: SourceFile): boolean => path.includes("/migrations/");

export function listModules(files: readonly SourceFile[]): string[] {
  return files.filter(isContext).map(({ path }) => findModule(path) ?? "");
}

/** The needs declared by the modules' contexts. */
export function declaredNeeds(files: readonly SourceFile[]): Graph {
  return buildGraph(
    files.filter(isContext).flatMap(({ path, text }) => {
      const [, list = ""] = NEEDS.exec(text) ?? [];
      return [...list.matchAll(/"([^"]+)"/g)].map(([, need = ""]) => [findModule(path) ?? "", need] as const);
    }),
  );
}

interface Use {
  readonly path: string;
  readonly module: string;
  readonly other: string;
  readonly what: string;
}

/** Uses of other modules that the compiler does not see: imports, and tables in SQL. */
function hiddenUses(files: readonly SourceFile[]): Use[] {
  const tables = tableOwners(files);
  return files.filter(isOwn).flatMap((file) => {
    const module = findModule(file.path) ?? "";
    const imported = listTargets(file).map((target) => ({ other: findModule(target), what: target }));
    const queried = isMigration(file)
      ? []
      : queriedTables(file.text).map((table) => ({ other: tables.get(table), what: `table ${table}` }));
    return [...imported, ...queried].flatMap(({ other, what }) =>
      other === undefined || other === module ? [] : [{ path: file.path, module, other, what }],
    );
  });
}

function tableOwners(files: readonly SourceFile[]): ReadonlyMap<string, string> {
  const created = files
    .filter(isMigration)
    .flatMap(({ path, text }) => [...text.matchAll(CREATED_TABLE)].map(([, table = ""]) => [table, findModule(path)]));
  return new Map(
    created.flatMap(([table = "", owner]) => (owner === undefined ? [] : [[table, MOVED_TABLES[table] ?? owner]])),
  );
}

function queriedTables(text: string): string[] {
  return [...text.replaceAll(COMMENT, "").matchAll(QUERIED_TABLE)].map(
    ([, typed, raw]) => raw ?? toSnakeCase(typed ?? ""),
  );
}

const toSnakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The names that modules offer, by registry. */
function registeredNames(files: readonly SourceFile[]) {
  return files
    .filter(isOwn)
    .flatMap(({ path, text }) =>
      [...text.matchAll(REGISTRY)].flatMap(([, registry = "", members = ""]) =>
        [...members.matchAll(REGISTERED)].map(([, owner = "", name = ""]) => ({ path, registry, owner, name })),
      ),
    );
}

/** Every use of another module is declared and goes through its `index.ts`, and every declared need is used. */
export function brokenNeeds(files: readonly SourceFile[]): string[] {
  const needs = declaredNeeds(files);
  const uses = hiddenUses(files);
  const undeclared = uses
    .filter(({ module, other }) => needs.get(module)?.has(other) !== true)
    .map(({ path, module, other, what }) => `${path}: ${module} does not declare that it needs ${other} (${what})`);
  const past = files.filter(isOwn).flatMap((file) =>
    listTargets(file)
      .filter((target) => ![undefined, findModule(file.path)].includes(findModule(target)))
      .filter((target) => target !== `${MODULES}${findModule(target)}/index.ts`)
      .map((target) => `${file.path}: not through index.ts: ${target}`),
  );
  return [...undeclared, ...past, ...unusedNeeds(files, needs, uses), ...moduleRings(needs)];
}

/** A need is used by an import, by a table, by a name that its module offers, or to hand it on to a module that needs it too. */
function unusedNeeds(files: readonly SourceFile[], needs: Graph, uses: readonly Use[]): string[] {
  const used = new Set(uses.map(({ module, other }) => `${module} ${other}`));
  const names = Map.groupBy(registeredNames(files), ({ owner }) => owner);
  const words = new Map<string, Set<string>>();
  for (const file of files.filter(isOwn)) {
    const module = findModule(file.path) ?? "";
    const own = words.get(module) ?? new Set<string>();
    words.set(module, own);
    for (const [word] of file.text.matchAll(/\b[a-z]\w+\b/g)) own.add(word);
  }
  const isUsed = (module: string, other: string, others: ReadonlySet<string>): boolean =>
    used.has(`${module} ${other}`) ||
    (names.get(other) ?? []).some(({ name }) => words.get(module)?.has(name)) ||
    [...others].some((need) => needs.get(need)?.has(other));
  return [...needs].flatMap(([module, others]) =>
    [...others]
      .filter((other) => !isUsed(module, other, others))
      .map((other) => `${module} needs nothing of ${other}, which its context.ts declares`),
  );
}

/** Modules that need each other, over however many. */
export function moduleRings(needs: Graph): string[] {
  return findCycles(needs).map((ring) => `modules need each other: ${ring}`);
}

/** A module sees what its `context.ts` says, and nothing goes round that. */
export function brokenContexts(files: readonly SourceFile[]): string[] {
  const registered = registeredNames(files);
  const foreign = registered
    .filter(({ path, owner }) => owner !== findModule(path))
    .map(({ path, owner, name }) => `${path}: declares ${owner}.${name}, which is another module's`);
  const isShared = ({ registry }: { registry: string }): boolean => registry !== "ModuleSettings";
  const twice = [...Map.groupBy(registered.filter(isShared), ({ registry, name }) => `${registry} ${name}`)]
    .filter(([, some]) => some.length > 1)
    .map(([name, some]) => `declared twice: ${name} of ${some.map(({ owner }) => owner).join(" and ")}`);
  return [...files.filter(isOwn).flatMap(brokenContext), ...foreign, ...twice];
}

function brokenContext(file: SourceFile): string[] {
  const { path, text } = file;
  if (!isContext(file)) {
    return SEEN_BY_OTHERS.test(text) ? [`${path}: takes its types from the kernel, not from its context.ts`] : [];
  }
  const seen = /^type Seen = "([^"]+)"(?: \| Needs)?;$/m.exec(text)?.[1];
  const isHonest = seen === findModule(path) && [...text.matchAll(/<(.*?)>/g)].every(([, name]) => name === "Seen");
  return isHonest ? [] : [`${path}: sees more than its module and those that it needs`];
}
