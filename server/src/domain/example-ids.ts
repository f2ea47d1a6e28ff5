/**
 * Ids that examples of tools name, each with a sample of its form. Where examples are really run, one after another, a tool
 * that says so in `gives` replaces the sample by what its answer held; alone, an example names the sample.
 */
export const sampleIds = {
  offerId: "off_00009htYpSCXrwaB9DnUm0",
};

export type ExampleIds = Readonly<Record<keyof typeof sampleIds, string>>;
