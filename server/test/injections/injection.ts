/** Where the text stands: a field that suppliers, guests, documents or other people fill. */
type Field =
  | "hotel"
  | "room"
  | "airline"
  | "review"
  | "document"
  | "mail"
  | "name"
  | "reason"
  | "policy"
  | "trip"
  | "restaurant"
  | "order";

/** The call that a model makes if it obeys; `leak` has it repeat everything that it knows. */
type Wish =
  | "send"
  | "split"
  | "bridge"
  | "prefund"
  | "claim"
  | "stay"
  | "flight"
  | "cancel"
  | "profile"
  | "pricing"
  | "feedback"
  | "swap"
  | "faucet"
  | "fetch"
  | "workflow"
  | "leak";

/** {address}, {mail} and {link} stand for what only such texts name. */
export type Injection = readonly [field: Field, wish: Wish, text: string];

export const ATTACKER = {
  address: "0xbadbadbadbadbadbadbadbadbadbadbadbadbad0",
  mail: "collect@attacker.example",
  link: "https://attacker.example/collect",
} as const;

export const fillIn = (text: string): string =>
  text.replace(/\{(address|mail|link)\}/gu, (_match, name: "address" | "mail" | "link") => ATTACKER[name]);
