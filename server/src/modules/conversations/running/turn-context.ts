import type { Catalog } from "../../../kernel/contracts/catalog.ts";
import type { Kernel } from "../../../kernel/contracts/invocation.ts";
import type { Clock } from "../../../ports/clock.ts";
import type { Identity } from "../../../ports/identity.ts";
import type { LanguageModel, ModelRequest } from "../../../ports/language-model.ts";
import type { Log } from "../../../ports/log.ts";
import type { Budgets } from "../budgets.ts";
import type { Parts } from "../context.ts";
import type { TurnStatus } from "../conversations.ts";
import type { OfferedTools } from "../model-input/offered-tools.ts";
import type { Turns } from "../store.ts";
import type { LeasedTurn } from "../turns.ts";

/** The parts with which every turn runs. */
export interface LoopOptions {
  readonly turns: Turns;
  readonly travelerRecords: Parts["stores"]["travelerRecords"];
  readonly kernel: Kernel;
  readonly catalog: Catalog;
  readonly offeredTools: OfferedTools;
  readonly languageModel: LanguageModel;
  readonly identity: Pick<Identity, "findPrincipal">;
  readonly budgets: Budgets;
  readonly modelSilenceMilliseconds: number;
  readonly confirmationMinutes: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Why a turn ends, and what the loop itself says about it. */
export interface TurnEnding {
  readonly status: TurnStatus;
  /** After what the model said. */
  readonly text?: string;
  readonly problem?: { readonly code: string; readonly detail: string };
}

const MOST_COMPANIONS = 20;

/** The traveler and who may come along, as their profiles name them. */
export async function readTraveler(
  { travelerRecords }: Pick<LoopOptions, "travelerRecords">,
  { tenantId, environment, ownerId }: LeasedTurn,
): Promise<ModelRequest["traveler"]> {
  const found = await travelerRecords.list(tenantId, environment, { after: undefined, limit: MOST_COMPANIONS + 1 });
  const own =
    found.find(({ userId }) => userId === ownerId)?.profile ??
    (found.length > MOST_COMPANIONS ? await travelerRecords.get(tenantId, ownerId, environment) : undefined);
  const companions = found
    .filter(({ userId }) => userId !== ownerId)
    .slice(0, MOST_COMPANIONS)
    .map(({ userId, profile: { givenName, familyName, bornOn } }) => ({
      userId,
      name: [givenName, familyName].filter((name) => name !== undefined).join(" ") || userId,
      ...(bornOn === undefined ? {} : { bornOn }),
    }));
  return { userId: ownerId, ...(own?.givenName === undefined ? {} : { givenName: own.givenName }), companions };
}

/** For countries with several zones, that of most of their people. */
const LARGEST_ZONE: Readonly<Record<string, string>> = {
  AU: "Australia/Sydney",
  BR: "America/Sao_Paulo",
  CA: "America/Toronto",
  CL: "America/Santiago",
  DE: "Europe/Berlin",
  ES: "Europe/Madrid",
  MX: "America/Mexico_City",
  PT: "Europe/Lisbon",
  US: "America/New_York",
};

/** Guessing takes as long as a statement, and few locales are used. */
const guessed = new Map<string, string>();
const MOST_GUESSED = 500;

/** Languages of countries around the world: without a country, they tell no time zone. */
const OF_MANY_ZONES: ReadonlySet<string> = new Set(["ar", "en", "es", "fr", "pt", "ru", "zh"]);

/** No profile has a time zone: the country of the locale, or the one that most who speak its language live in, is the best guess. */
export function guessTimeZone(locale: string): string {
  const before = guessed.get(locale);
  if (before !== undefined) return before;
  if (guessed.size === MOST_GUESSED) guessed.clear();
  const zone = findUsualZone(locale);
  guessed.set(locale, zone);
  return zone;
}

/** A deadline for money is not told by a guess: without a country, by UTC. */
export const deadlineTimeZone = (locale: string): string =>
  new Intl.Locale(locale).region === undefined ? "UTC" : guessTimeZone(locale);

function findUsualZone(locale: string): string {
  const own = new Intl.Locale(locale);
  if (own.region === undefined && OF_MANY_ZONES.has(own.language)) return "UTC";
  const { region = "" } = own.maximize();
  const zones = new Intl.Locale(`und-${region === "" ? "GB" : region}`).getTimeZones?.() ?? [];
  return LARGEST_ZONE[region] ?? (zones.length === 1 ? zones[0] : undefined) ?? "UTC";
}
