import { dirname } from "node:path";
import { buildGraph, findCycles } from "./cycles.ts";
import { brokenContexts, brokenNeeds } from "./modules.ts";
import { isTest, listTargets, type SourceFile } from "./source.ts";

const SERVICE = "server/src/";
const MAXIMUM_LINES = 400;
const MOST_FILES_SIDE_BY_SIDE = 30;

/** The allowed imports of each folder, beside itself; `*` stands for everything (ARCHITECTURE.md has the reasons). */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  ports: ["domain"],
  kernel: ["domain", "ports"],
  platform: ["domain", "ports"],
  modules: ["domain", "ports", "kernel", "platform"],
  // The types of all tools.
  workflows: ["domain", "kernel", "modules/index.ts"],
  surfaces: ["domain", "ports", "kernel", "platform"],
  adapters: ["domain", "ports", "platform", "generated"],
  embedded: ["domain", "ports", "platform"],
  config: ["domain"],
  // Interfaces and bytecode of our contracts, written by contracts/scripts/compile.ts.
  generated: [],
  outside: ["*"],
  commands: ["*"],
  "compose.ts": ["*"],
  "contributions.ts": ["*"],
  "hosts.ts": ["*"],
  "decorate.ts": ["*"],
  "main.ts": ["*"],
};

/** Programs and harnesses beside the service, with what they may import beside themselves. */
const packages: Readonly<Record<string, readonly string[]>> = {
  sandbox: [],
  devnet: [],
  // The codecs of the bridge and the Gateway, which the contracts check on both sides.
  attester: ["server"],
  carriers: [],
  bridge: [],
  client: [],
  server: [],
  chaos: ["server", "devnet"],
  conformance: ["server"],
};

/** Within these each folder is a unit, and no two of them may import each other, not even types. */
const DEEP_ROOMS: ReadonlySet<string> = new Set(["kernel", "modules", "surfaces", "adapters", "platform"]);

const inService = (path: string): string | undefined =>
  path.startsWith(SERVICE) ? path.slice(SERVICE.length) : undefined;
const findRoom = (path: string): string => inService(path)?.split("/")[0] ?? "";
const ownFolder = (path: string): string => path.split("/").slice(2, 4).join("/");

/** The unit of a file for cycles between folders: `modules/escrow`, `surfaces/http`, `kernel/call`, `main.ts`. */
function cycleUnit(path: string): string {
  const [room = "", folder = ""] = inService(path)?.split("/") ?? [];
  return DEEP_ROOMS.has(room) ? `${room}/${folder}` : room;
}

const isService = (file: SourceFile): boolean => file.path.startsWith(SERVICE) && !isTest(file);

function brokenRooms(files: readonly SourceFile[]): string[] {
  return files.filter(isService).flatMap((file) => {
    const room = findRoom(file.path);
    const may = mayImport[room];
    if (may === undefined) return [`${file.path}: unknown folder ${room}`];
    return listTargets(file).flatMap((target) => {
      const targetRoom = findRoom(target);
      if (!target.startsWith(SERVICE)) return [];
      if (room === "adapters" && targetRoom === "adapters" && ownFolder(file.path) !== ownFolder(target)) {
        return [`${file.path}: imports another vendor's folder: ${target}`];
      }
      // Files of chain operations encode calls of our contracts.
      if (room === "modules" && targetRoom === "generated") return [];
      const isAllowed = may.includes(targetRoom) || may.includes(inService(target) ?? "") || may.includes("*");
      if (targetRoom === room || isAllowed) return [];
      return [`${file.path}: may not import ${target}`];
    });
  });
}

/** The path of a call is the same for every product: modules add to its contracts what they know of travel. */
function knowsTravel(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isService(file) && findRoom(file.path) === "kernel")
    .flatMap((file) =>
      listTargets(file)
        .filter((target) => target.startsWith(`${SERVICE}domain/travel/`))
        .map((target) => `${file.path}: knows travel: ${target}`),
    );
}

/** The types that show every module are for the composition. */
const SEES_ALL = "server/src/kernel/contracts/whole.ts";
const MAY_SEE_ALL = ["kernel", "outside", "commands", "compose.ts", "contributions.ts", "decorate.ts", "hosts.ts"];

/** They open the chain before the parts are made, from the rows of three modules. */
const OPENS_CHAIN = ["server/src/outside/chain/open-chain.ts", "server/src/outside/chain/live-chain.ts"];

/** Hosts and the opening of outside systems get modules' contributions as parts. */
function knowsModules(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isService(file) && ["outside", "hosts.ts"].includes(findRoom(file.path)))
    .filter((file) => !OPENS_CHAIN.includes(file.path))
    .flatMap((file) =>
      listTargets(file)
        .filter((target) => findRoom(target) === "modules")
        .map((target) => `${file.path}: knows a module: ${target}`),
    );
}

function seesEverything(files: readonly SourceFile[]): string[] {
  return files
    .filter(
      (file) => isService(file) && !MAY_SEE_ALL.includes(findRoom(file.path)) && listTargets(file).includes(SEES_ALL),
    )
    .map(({ path }) => `${path}: sees what all modules offer`);
}

/** Type imports count: what changes together must not be spread over a ring. */
function cyclesOfFiles(files: readonly SourceFile[]): string[] {
  return findCycles(
    buildGraph(files.flatMap((file) => listTargets(file).map((target) => [file.path, target] as const))),
  );
}

function cyclesOfFolders(files: readonly SourceFile[]): string[] {
  const arrows = files
    .filter(isService)
    .flatMap((file) => listTargets(file).map((target) => [cycleUnit(file.path), cycleUnit(target)] as const));
  return findCycles(buildGraph(arrows.filter(([, to]) => to !== "")));
}

function brokenPackages(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    const [own = ""] = file.path.split("/");
    const may = packages[own];
    if (may === undefined || isTest(file)) return [];
    return listTargets(file)
      .filter((target) => ![own, ...may].includes(target.split("/")[0] ?? ""))
      .map((target) => `${file.path}: imports from outside its package: ${target}`);
  });
}

function longFiles(files: readonly SourceFile[]): string[] {
  return files
    .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > MAXIMUM_LINES)
    .map(({ path, lines }) => `${path}: ${lines} lines, more than ${MAXIMUM_LINES}`);
}

/** Sub-folders say what lies in them where a single list would no longer tell; tests count. */
function crowdedFolders(files: readonly SourceFile[]): string[] {
  const ofService = files.filter(({ path }) => path.startsWith(SERVICE));
  return [...Map.groupBy(ofService, ({ path }) => dirname(path))]
    .filter(([, inside]) => inside.length > MOST_FILES_SIDE_BY_SIDE)
    .map(([folder, { length }]) => `${folder}: ${length} files side by side, more than ${MOST_FILES_SIDE_BY_SIDE}`);
}

const STORE_FILE = /\/(?:store(?:-[^/]*)?\.ts|migrations\/[^/]+)$|^server\/src\/platform\/(?:database|leased-queue)\//;

function strayQueries(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => isService(file) && file.imports.includes("kysely") && !STORE_FILE.test(file.path))
    .map(
      ({ path }) => `${path}: only store files, migrations, platform/database and platform/leased-queue import Kysely`,
    );
}

const OUTSIDE_WORLD = /process\.env|\bfetch\(|Date\.now|new Date\(\)/;
const ENVIRONMENT_READERS = /^server\/src\/(?:main\.ts|commands\/|config\/)/;

function hiddenInputs(files: readonly SourceFile[]): string[] {
  return files.filter(isService).flatMap(({ path, text }) => {
    if (["modules", "kernel"].includes(findRoom(path)) && OUTSIDE_WORLD.test(text)) {
      return [`${path}: reads the environment, the clock or the network itself`];
    }
    const readsEnvironment = text.includes("process.env") && !ENVIRONMENT_READERS.test(path);
    return readsEnvironment ? [`${path}: reads the environment, which only config/ does`] : [];
  });
}

/** A comment begins with its subject or its verb. Solidity is exempt, as its comments are part of a contract's metadata hash. */
const INDIRECT = /(?:^\s*|[;,{([] )(?:\/\/|\/?\*\*?) (?:What|Of)\b/;

function indirectComments(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !path.endsWith(".sol"))
    .flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) =>
          INDIRECT.test(line) ? [`${path}:${index + 1}: a comment begins with What or Of`] : [],
        ),
    );
}

/** A function is named with a verb, or with a noun that says what it returns. `asOf` is a date. */
const NAMED_OF =
  /^\s*(?:export )?(?:async )?(?:function\*?|const|let) (?!asOf\b)\w+Of\b|^\s+(?:async )?[*#]*(?!asOf\b)\w+Of(?:\??[(<]|\??: (?:async )?\()/;

function vagueNames(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path }) => !path.endsWith(".sol") && !path.includes("/fixtures/"))
    .flatMap(({ path, text }) =>
      text
        .split("\n")
        .flatMap((line, index) => (NAMED_OF.test(line) ? [`${path}:${index + 1}: a name ends in Of`] : [])),
    );
}

/** Every rule by its name, for the check and for its own tests. */
export const rules: Readonly<Record<string, (files: readonly SourceFile[]) => string[]>> = {
  "folders import only what they may": brokenRooms,
  "modules use only the modules that they need": brokenNeeds,
  "modules see only what their context says": (files) => [...brokenContexts(files), ...seesEverything(files)],
  "the kernel knows no travel": knowsTravel,
  "the outside and the hosts know no module": knowsModules,
  "no file cycles": cyclesOfFiles,
  "no folder cycles": cyclesOfFolders,
  "packages stand alone": brokenPackages,
  "no long files": longFiles,
  "no crowded folders": crowdedFolders,
  "SQL only in stores": strayQueries,
  "no hidden inputs": hiddenInputs,
  "comments begin with their subject": indirectComments,
  "functions are named by a verb or a noun": vagueNames,
};
