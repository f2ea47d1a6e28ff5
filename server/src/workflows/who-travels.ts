import { z } from "zod";
import { StepFailure } from "../kernel/contracts/workflow.ts";
import type { Answer, Steps } from "./tools.ts";

type Traveler = Answer<"read_trip_travelers">["travelers"][number];

const Profile = z.object({
  status: z
    .enum(["given", "cancelled"])
    .describe("given: the missing fields listed in shown have been saved, with save_traveler or by the guest"),
});

/** As both workflows describe it. */
export const travelerProfile = {
  id: "traveler_profile",
  description:
    "A traveler's profile lacks fields. A guest gives them on the guestLink page; for others, save them with save_traveler.",
  resolvedBy: "caller",
  resolution: Profile,
} as const;

const PROFILE_HOURS = 72;

interface Party {
  tripId: string;
  /** The number of travelers. */
  passengers: number;
  /** All travelers, or all but the first. */
  customerUserIds: string[];
}

/**
 * The travelers, each with a profile that has the fields named by `needed`, for which a pause asks. The first one is
 * named by `customerUserIds` if they fill all places; otherwise it is the guest who claimed the trip, or the run's own
 * user.
 */
export async function readTravelers(
  { call, pause, leadBy }: Steps,
  party: Party,
  needed: (traveler: Traveler, index: number) => readonly string[],
): Promise<{ travelers: readonly Traveler[]; missingTravelers: number }> {
  for (let isFirst = true; ; isFirst = false) {
    const { tripId, travelers, missingTravelers } = await call("read_trip_travelers", party);
    const incomplete = travelers
      .map((traveler, index) => ({ ...traveler, missing: needed(traveler, index) }))
      .filter(({ missing }) => missing.length > 0);
    if (incomplete.length === 0) {
      const [first] = travelers;
      if (first !== undefined) leadBy(first.userId);
      return { travelers, missingTravelers };
    }
    const { status } = await pause({
      step: travelerProfile.id,
      reason: sayMissing(incomplete),
      resolution: Profile,
      by: "caller",
      shown: {
        travelers: incomplete.map(({ userId, customerUserId, missing }) => ({ userId, customerUserId, missing })),
      },
      // An event that has already happened would end every later pause at once, even if the profile was erased meanwhile.
      ...(isFirst && incomplete.some(({ isGuest }) => isGuest)
        ? { event: { name: "guest_traveler_given", subject: tripId } }
        : {}),
      timeoutHours: PROFILE_HOURS,
      onTimeout: { status: "cancelled" },
      needsOpenTrip: true,
    });
    if (status === "cancelled") {
      throw new StepFailure("traveler_incomplete", "Nobody completed the travelers' profiles.");
    }
  }
}

function sayMissing(incomplete: readonly Traveler[]): string {
  const yours = "Save the missing fields listed in shown with save_traveler, then resume with the status given.";
  if (!incomplete.some(({ isGuest }) => isGuest)) return `A traveler's profile is incomplete. ${yours}`;
  return `The trip's guest travels and has not given everything that the booking needs. The guestLink page asks for it, and the run then continues by itself. ${yours.replace("Save", "Or save")}`;
}
