import { catalog } from "../contributions.ts";
import { formatDecimal, type Micro, parseDecimal } from "../domain/money.ts";
import { nearest } from "../domain/near-match.ts";
import type { Hex } from "../domain/tokens.ts";
import {
  describeLimits,
  type Limits,
  type LimitsState,
  type PeriodState,
  readLimits,
} from "../modules/limits/index.ts";
import { systemClock } from "../ports/clock.ts";
import type { Environment } from "../ports/identity.ts";
import { type Arguments, type Command, formatTable, type Report, UsageError } from "./command-line.ts";
import type { Operator } from "./open-database.ts";

const ACTOR = "command";
const ENVIRONMENTS: readonly Environment[] = ["sandbox", "production"];
const NONE = "none";
const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
/** The largest value that the database can hold. */
const MAXIMUM_MICRO = 2n ** 63n - 1n;

/** The options that name limits; those of a key also have its fees. */
export const keyLimitOptions = {
  "confirm-from": { type: "string" },
  "max-fees": { type: "string" },
  "per-call": { type: "string" },
  "per-day": { type: "string" },
  "per-month": { type: "string" },
  recipients: { type: "string" },
  tools: { type: "string" },
} as const;
const limitOptions = {
  "confirm-from": { type: "string" },
  "per-call": { type: "string" },
  "per-day": { type: "string" },
  "per-month": { type: "string" },
  recipients: { type: "string" },
  tools: { type: "string" },
} as const;
const options = { environment: { type: "string" }, ...limitOptions } as const;
const usage =
  "[--per-call <USDC>|none] [--per-day <USDC>|none] [--per-month <USDC>|none] [--recipients <address,…>|none] [--tools <name,…>|none] [--confirm-from <USDC>|none] [--environment sandbox|production]";
export const LIMITS_NOTE =
  "Limits count the money that calls move, such as the price of a flight or a transfer. The fees for the calls themselves have monthly caps: --max-fees for one key, npm run tenant -- set <tenantId> --cap <USDC> for the whole tenant.";

export const keyLimits: Command<Operator> = {
  name: "limits",
  summary:
    "Show or change a key's limits: per call, day and month (UTC), by recipient and by tool; none removes a limit. A change applies from the next call; reads follow within 15 seconds.",
  usage: `--tenant <tenantId> <keyId> [--max-fees <USDC>|none] ${usage}`,
  positionals: ["keyId"],
  options: { tenant: { type: "string" }, environment: { type: "string" }, ...keyLimitOptions },
  prepare(args) {
    const tenantId = args.required("tenant");
    const keyId = args.positional(0);
    const asked = readAsked(args);
    return async (operator) => {
      const keys = await operator.listKeys(tenantId);
      if (!keys.some(({ id }) => id === keyId)) {
        throw new Error(`Tenant ${tenantId} has no key ${keyId}. List them: npm run key -- list --tenant ${tenantId}`);
      }
      return await applyLimits(operator, { tenantId, keyId }, asked);
    };
  },
};

export const tenantLimits: Command<Operator> = {
  name: "limits",
  summary: "Show or change a tenant's limits across all of its keys, as npm run key -- limits does for one key.",
  usage: `<tenantId> ${usage}`,
  positionals: ["tenantId"],
  options,
  prepare(args) {
    const tenantId = args.positional(0);
    const asked = readAsked(args);
    return async (operator) => {
      if ((await operator.getTenant(tenantId)) === undefined) {
        throw new Error(`There is no tenant ${tenantId}. List them: npm run tenant -- list`);
      }
      return await applyLimits(operator, { tenantId, keyId: undefined }, asked);
    };
  },
};

interface Asked {
  environments: readonly Environment[];
  change: Partial<Limits>;
}

function readAsked(args: Arguments): Asked {
  const wanted = args.text("environment");
  const environments = ENVIRONMENTS.filter((one) => wanted === undefined || wanted === one);
  if (environments.length === 0)
    throw new UsageError("--environment must be sandbox or production; the default is both.");
  return { environments, change: readLimitOptions(args) };
}

/** The limits that the options name; undefined among them removes one. */
export function readLimitOptions(args: Arguments): Partial<Limits> {
  const change: { -readonly [Name in keyof Limits]?: Limits[Name] } = {};
  for (const [name, option] of [
    ["perCall", "per-call"],
    ["perDay", "per-day"],
    ["perMonth", "per-month"],
    ["fees", "max-fees"],
    ["confirmFrom", "confirm-from"],
  ] as const) {
    const text = args.text(option);
    if (text !== undefined) change[name] = text === NONE ? undefined : readAmount(option, text);
  }
  const recipients = args.text("recipients");
  if (recipients !== undefined)
    change.recipients = recipients === NONE ? undefined : parseList(recipients).map(readAddress);
  const tools = args.text("tools");
  if (tools !== undefined) change.tools = tools === NONE ? undefined : parseList(tools).map(readTool);
  return change;
}

function readAmount(option: string, text: string): Micro {
  const amount = parseDecimal(text);
  if (amount !== undefined && amount <= MAXIMUM_MICRO) return amount;
  throw new UsageError(
    `--${option} must be an amount in USDC with at most 6 decimal places, such as 250 or 99.50, or none.`,
  );
}

const parseList = (text: string): string[] => [...new Set(text.split(",").map((one) => one.trim()))];

function readAddress(text: string): Hex {
  if (ADDRESS.test(text)) return `0x${text.slice(2).toLowerCase()}`;
  throw new UsageError(`--recipients: "${text}" is not an address (0x and 40 hexadecimal digits).`);
}

function readTool(text: string): string {
  const tool = catalog.find(text)?.tool.name;
  if (tool !== undefined) return tool;
  const near = nearest(
    text,
    catalog.entries.map((entry) => entry.tool.name),
  );
  throw new UsageError(`--tools: there is no tool ${text}.${near === undefined ? "" : ` Did you mean ${near}?`}`);
}

async function applyLimits(
  { spending }: Operator,
  { tenantId, keyId }: { tenantId: string; keyId: string | undefined },
  { environments, change }: Asked,
): Promise<Report> {
  const shown: { environment: Environment; limits: LimitsState; fees: Micro | undefined }[] = [];
  for (const environment of environments) {
    if (Object.keys(change).length > 0) await spending.spendLimits.set(tenantId, environment, keyId, change, ACTOR);
    const state = await readLimits(spending, { tenantId, environment, keyId: keyId ?? "" }, systemClock.now());
    const { fees } = await spending.spendLimits.get(tenantId, environment, keyId);
    shown.push({ environment, fees, limits: keyId === undefined ? state.tenant : state.key });
  }
  return {
    text: shown
      .map(({ environment, limits, fees }) =>
        [environment, limitLines(limits), ...(keyId === undefined ? [] : [feesLine(fees)])].join("\n"),
      )
      .join("\n"),
    json: {
      tenantId,
      ...(keyId === undefined ? {} : { keyId }),
      limits: shown.map(({ environment, limits, fees }) => ({
        environment,
        ...describeLimits(limits),
        ...(keyId === undefined ? {} : { maxFeesUsdc: fees === undefined ? null : formatDecimal(fees) }),
      })),
    },
  };
}

const feesLine = (fees: Micro | undefined): string =>
  `  fees of calls  ${fees === undefined ? "up to the tenant's monthly cap" : `at most ${formatDecimal(fees)} USDC a month`}`;

function limitLines({ perCall, perDay, perMonth, recipients, tools, confirmFrom }: LimitsState): string {
  return formatTable(
    ["  one call", perCall === undefined ? "any amount" : `at most ${formatDecimal(perCall)} USDC`],
    [
      ["  a day", periodLine(perDay)],
      ["  a month", periodLine(perMonth)],
      ["  recipients", recipients?.join(", ") ?? "any"],
      ["  tools", tools?.join(", ") ?? "any"],
      [
        "  confirmed",
        confirmFrom === undefined
          ? "never"
          : `from ${formatDecimal(confirmFrom)} USDC, by the person at the MCP client`,
      ],
    ],
  );
}

function periodLine({ limit, used, reserved, renewsAt }: PeriodState): string {
  const most = limit === undefined ? "any amount" : `at most ${formatDecimal(limit)} USDC`;
  return `${most}; ${formatDecimal(used)} used, ${formatDecimal(reserved)} reserved until ${renewsAt}`;
}
