import { isSameFamilyName, isSameGivenName } from "../../domain/same-name.ts";
import type { ScannedPerson } from "../scans/index.ts";
import type { TravelerProfile } from "./traveler-profile.ts";

type Identifying = "familyName" | "givenName" | "bornOn";

/**
 * Returns the stored fields that show a scan to be of somebody else: all identifying fields that disagree. Names are compared
 * as a machine-readable zone may write them, so "Müller" agrees with "MUELLER" and with "MULLER", and "Anna" with "ANNA MARIA".
 */
export function contradictions(
  stored: Pick<TravelerProfile, Identifying>,
  scanned: Pick<ScannedPerson, Identifying>,
): Identifying[] {
  const disagree = (name: Identifying, agree: (stored: string, scanned: string) => boolean): Identifying[] => {
    const [before, now] = [stored[name], scanned[name]];
    return before === undefined || now === undefined || agree(before, now) ? [] : [name];
  };
  return [
    ...disagree("familyName", isSameFamilyName),
    ...disagree("givenName", isSameGivenName),
    ...disagree("bornOn", (before, now) => before === now),
  ];
}
