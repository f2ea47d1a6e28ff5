import { defineTexts, type Words, wordsIn } from "../../../domain/texts.ts";
import { accountTexts } from "./account-texts.ts";
import { addressed } from "./addressed-texts.ts";
import { answerTexts } from "./answer-texts.ts";
import { asideTexts } from "./aside-texts.ts";
import { bookingTexts } from "./booking-texts.ts";
import { informationTexts } from "./information-texts.ts";
import { peopleTexts } from "./people-texts.ts";
import { requestTexts } from "./request-texts.ts";
import { talkTexts } from "./talk-texts.ts";
import { timeTexts } from "./time-texts.ts";
import { travelTexts } from "./travel-texts.ts";

const texts = defineTexts({
  ...{ ...timeTexts, ...bookingTexts, ...talkTexts, ...travelTexts, ...informationTexts, ...asideTexts },
  ...{ ...peopleTexts, ...requestTexts, ...accountTexts, ...answerTexts },
});

/** Says everything in one language, with the conventions of the user's country. */
export interface Speaker {
  readonly say: ReturnType<typeof texts>;
  readonly words: Words;
  money(amount: string, currency: string): string;
  /** With what is paid for it in USDC, where the supplier asks for another currency. */
  price(amount: string, currency: string, usdc: string | null | undefined): string;
  /** With the day of the week. */
  day(date: Temporal.PlainDate | string): string;
  time(minuteOrIso: string): string;
  list(items: readonly string[]): string;
  country(alpha2: string): string;
}

/** The language of the text wins over the locale's. `address`: as the traveler addresses us; else we address nobody. */
export function speakerIn(
  locale: string,
  language: string | undefined,
  address: "formal" | "informal" | undefined,
): Speaker {
  const [own] = locale.split(/[-_]/);
  const words = wordsIn(language === undefined || language === own ? locale : language);
  const plain = texts(words);
  const say: typeof plain = (name, ...values) => addressed(words.language, name, address) ?? plain(name, ...values);
  const format = (date: Temporal.PlainDate, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(words.locale, { ...options, timeZone: "UTC" }).format(
      date.toZonedDateTime("UTC").epochMilliseconds,
    );
  const money: Speaker["money"] = (amount, currency) =>
    /^-?\d+(?:\.\d+)?$/.test(amount) ? words.price(amount, currency) : `${amount} ${currency}`;
  return {
    say,
    words,
    money,
    price: (amount, currency, usdc) =>
      usdc == null || /^USDC?$/.test(currency)
        ? money(amount, currency)
        : `${money(amount, currency)} (${money(usdc, "USDC")})`,
    day: (date) =>
      format(Temporal.PlainDate.from(date), { weekday: "short", day: "numeric", month: "short", year: "numeric" }),
    time: (iso) =>
      new Intl.DateTimeFormat(words.locale, { hour: "numeric", minute: "2-digit", timeZone: "UTC" }).format(
        Temporal.PlainDateTime.from(iso.slice(0, 16)).toZonedDateTime("UTC").epochMilliseconds,
      ),
    list: (items) => new Intl.ListFormat(words.locale, { type: "conjunction" }).format(items),
    country: (alpha2) => new Intl.DisplayNames(words.locale, { type: "region" }).of(alpha2) ?? alpha2,
  };
}
