import { checkAuthorization, checkVisa, findGrant, isGranted } from "./check-entry.ts";
import { checkValidity } from "./check-passport.ts";
import { checkStay } from "./check-stay.ts";
import { type Case, compare, type Finding, findSource, otherwiseFor, rulesFor } from "./findings.ts";
import type { Grant } from "./regime-schema.ts";

/**
 * Changing planes. A traveler who leaves on the day of arrival, or names no day, is assumed to stay airside; one who
 * stays the night passes the border. The assumed side decides the verdict, and the other side's needs are added as a
 * remark.
 */
export function checkTransit(asked: Case): Finding[] {
  const { regime, arrivesOn, leavesOn = arrivesOn } = asked;
  const [special] = rulesFor(asked, regime.transit?.landside ?? []);
  const within = { ...asked, leavesOn };
  const landsideGrant = special !== undefined && isShortEnough(special, within) ? special : findGrant(asked)?.grant;
  const airside = confirmed(asked, airsideGrant(asked), landsideGrant);
  const isAirside = compare(leavesOn, arrivesOn) === 0 && airside !== "entry" && airside !== undefined;
  const beyond = checkValidity(within);
  const landside = checkSide("Landside", within, landsideGrant);
  const conditions =
    landsideGrant !== undefined && isGranted(landsideGrant) ? [beyond, checkStay(within, landsideGrant)] : [beyond];
  const inside =
    airside === "entry"
      ? aside(
          { detail: "Airside: transit without passing border control is not possible.", status: "fail" },
          regime.sources,
        )
      : checkSide("Airside", within, airside);
  return isAirside ? [inside, onlySaid(landside)] : [landside, ...conditions, onlySaid(inside)];
}

function isShortEnough(grant: Grant, asked: Case): boolean {
  return checkStay(asked, grant).check.status !== "fail";
}

/** Undefined if the rules do not tell. */
function airsideGrant(asked: Case): Grant | "entry" | undefined {
  const airside = asked.regime.transit?.airside;
  if (airside === undefined || airside === "entry") return airside;
  const [own] = rulesFor(asked, airside.rules);
  return own ?? otherwiseFor(asked, airside.otherwise);
}

const LIKELY =
  "This follows from the rule that admits this nationality without a visa; both rules were recorded from memory, so confirm them with the airline before anything is paid.";
const NOT_CONFIRMED =
  "That everyone may change planes here without a visa was recorded from memory, and no source that was read confirms it for this nationality. Ask the embassy of the country where the traveler changes planes, or the airline, before anything is paid.";

/**
 * A yes for everyone from memory alone is not known, as it may leave a traveler at the gate. Whoever is admitted through the border may
 * change planes, too, if that was read; if it was not, a rule that names the nationality and asks for nothing makes it likely.
 */
function confirmed(
  asked: Case,
  airside: Grant | "entry" | undefined,
  landside: Grant | undefined,
): Grant | "entry" | undefined {
  if (airside === undefined || airside === "entry" || airside.kind !== "visa_free") return airside;
  const { regime } = asked;
  const isRead = ({ source }: Grant) => findSource(regime, source)?.basis === "read";
  if (isRead(airside) || (landside !== undefined && isGranted(landside) && isRead(landside))) return airside;
  const named: readonly Grant[] = rulesFor(asked, [...(regime.transit?.landside ?? []), ...regime.entry]);
  const isLikely = landside?.kind === "visa_free" && named.includes(landside);
  return isLikely ? { ...airside, note: LIKELY } : { ...airside, kind: "unknown", note: NOT_CONFIRMED };
}

const SAYS: Readonly<Record<Grant["kind"], string>> = {
  visa_free: "nothing more than the passport and the ticket onward is needed.",
  authorization: "an electronic authorization is needed before boarding.",
  evisa: "an e-visa is needed before boarding.",
  visa_on_arrival: "a visa is issued on arrival.",
  visa: "a visa from a consulate is needed.",
  refused: "holders of this passport are not admitted.",
  unknown: "the requirements are not known.",
};
const STATUS: Readonly<Record<Grant["kind"], Finding["check"]["status"]>> = {
  visa_free: "pass",
  authorization: "warn",
  evisa: "warn",
  visa_on_arrival: "warn",
  visa: "fail",
  refused: "fail",
  unknown: "unknown",
};

function checkSide(side: "Airside" | "Landside", asked: Case, grant: Grant | undefined): Finding {
  if (grant === undefined) {
    const detail = `${side}: the rules that the service has do not cover this nationality.`;
    return { ...checkVisa(asked, undefined), check: { id: "transit", status: "unknown", detail, source: null } };
  }
  const visa = checkVisa(asked, grant);
  const authorized = isGranted(grant) ? checkAuthorization(asked, grant) : undefined;
  const note = grant.note === undefined ? "" : ` ${grant.note}`;
  return {
    ...visa,
    ...authorized,
    check: {
      id: "transit",
      status: grant.note === LIKELY ? "warn" : STATUS[grant.kind],
      detail: `${side}: ${SAYS[grant.kind]}${note}`,
      source: visa.check.source,
    },
  };
}

function aside(
  { detail, status }: Pick<Finding["check"], "detail" | "status">,
  sources: Case["regime"]["sources"],
): Finding {
  const [source = null] = Object.values(sources);
  return { check: { id: "transit", status, detail, source }, verdict: "eligible" };
}

/** It does not decide, so it is at most a warning. */
function onlySaid({ check }: Finding): Finding {
  const status = check.status === "fail" ? "warn" : check.status;
  return { check: { ...check, status }, verdict: "eligible" };
}
