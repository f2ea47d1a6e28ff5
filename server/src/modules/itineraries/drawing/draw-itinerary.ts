import { drawPage } from "../../../platform/paper/paper.ts";
import type { ItineraryPage } from "./itinerary-renderer.ts";

export async function drawItinerary({
  title,
  name,
  locale,
  mark,
  groups,
  note,
  made,
}: ItineraryPage): Promise<Uint8Array> {
  const { pdf } = await drawPage({ title: `${title}: ${name}`, locale, made }, (paper) => {
    if (mark !== undefined) paper.mark(mark);
    paper.text(title, { size: 20, weight: "bold" });
    paper.text(name, { size: 12, weight: "bold" });
    paper.gap(8);
    for (const { heading, facts } of groups) {
      paper.rule();
      if (heading !== undefined) {
        paper.text(heading, { size: 11, weight: "bold" });
        paper.gap(3);
      }
      for (const { label, values } of facts) paper.fact(label, values);
      paper.gap(6);
    }
    if (note !== undefined) paper.text(note);
  });
  return pdf;
}
