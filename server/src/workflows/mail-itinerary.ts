import { z } from "zod";
import { StepFailure } from "../kernel/contracts/workflow.ts";
import type { Steps } from "./tools.ts";

export const MailItinerary = z
  .boolean()
  .default(false)
  .describe("true: at the end, the itinerary is emailed to each traveler who has an email address in the profile");

export const itineraryStep = {
  id: "send_itinerary",
  description: "The itinerary is emailed to the travelers, if the input asks for it.",
} as const;

/** The booking stands without its itinerary, which can be sent again. */
export async function mailItinerary({ call }: Steps, orderId: string, isAsked: boolean) {
  if (!isAsked) return {};
  try {
    const { pdfUrl, icsUrl, mails } = await call("send_itinerary", { orderId });
    return { itinerary: { pdfUrl, icsUrl, mails }, itineraryFailure: null };
  } catch (error) {
    if (error instanceof StepFailure) return { itinerary: null, itineraryFailure: error.code };
    throw error;
  }
}
