import { type Outcome, ServiceError } from "./answers.ts";

/** An answer that is one page of a list. */
interface Page {
  readonly nextCursor: string | null;
}

interface PageInput {
  readonly cursor?: string | undefined;
}

/** The names of the answer's lists. */
type ListName<Answer> = {
  [Name in keyof Answer]: Answer[Name] extends readonly unknown[] ? Name : never;
}[keyof Answer];

type Listing<Input, Answer> = (
  input: Input & PageInput,
  options?: { readonly signal?: AbortSignal | undefined },
) => Promise<Outcome<Answer, string>>;

/**
 * The pages of a list, one after the other: `for await (const page of pages(wayfare.routes.getOrders, { limit: 50 }))`. Throws
 * a `ServiceError` if a page is refused.
 */
export async function* pages<Input extends object, Answer extends Page>(
  list: Listing<Input, Answer>,
  input: NoInfer<Input>,
  options: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Answer, void> {
  let asked: NoInfer<Input> & PageInput = input;
  for (;;) {
    const outcome = await list(asked, options);
    if (!outcome.ok) throw new ServiceError(outcome);
    yield outcome.result;
    const { nextCursor } = outcome.result;
    if (nextCursor === null) return;
    asked = { ...asked, cursor: nextCursor };
  }
}

/** The items of all pages: `for await (const order of items(wayfare.routes.getOrders, "orders", { limit: 50 }))`. */
export async function* items<Input extends object, Answer extends Page, Name extends ListName<Answer>>(
  list: Listing<Input, Answer>,
  name: Name,
  input: NoInfer<Input>,
  options: { readonly signal?: AbortSignal | undefined } = {},
): AsyncGenerator<Item<Answer[Name]>, void> {
  for await (const page of pages(list, input, options)) yield* listItems(page[name]);
}

type Item<List> = List extends readonly (infer One)[] ? One : never;

function listItems<List>(list: List): Iterable<Item<List>> {
  // `Name` is the name of a list, which the compiler does not conclude from `ListName`.
  return list as Iterable<Item<List>>;
}
