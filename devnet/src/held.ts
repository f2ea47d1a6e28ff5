/** A transaction whose sender's earlier ones have not come yet. */
interface Held<Item> {
  item: Item;
  from: string;
  nonce: number;
  deadlineMilliseconds: number;
}

/** The waiting room of transactions that came before an earlier one of their sender. */
interface HeldTransactions<Item> {
  /** False: the room is full. */
  add(held: Held<Item>): boolean;
  senders(): string[];
  /** Takes out those of one sender that may be sent now, in the order of their nonces. */
  takeReady(from: string, nextNonce: number): Item[];
  takeOverdue(nowMilliseconds: number): Held<Item>[];
  takeAll(): Held<Item>[];
  /** Undefined when nothing waits. */
  nextDeadlineMilliseconds(): number | undefined;
}

export const createHeldTransactions = <Item>(most: number): HeldTransactions<Item> => {
  let all: Held<Item>[] = [];
  const take = (goes: (held: Held<Item>) => boolean): Held<Item>[] => {
    const taken = all.filter(goes);
    if (taken.length > 0) all = all.filter((held) => !goes(held));
    return taken;
  };
  return {
    add(held) {
      if (all.length >= most) return false;
      all.push(held);
      return true;
    },
    senders: () => [...new Set(all.map(({ from }) => from))],
    takeReady(from, nextNonce) {
      let next = nextNonce;
      const ready = new Set<Held<Item>>();
      for (const held of all.filter((one) => one.from === from).sort((a, b) => a.nonce - b.nonce)) {
        if (held.nonce > next) break;
        // A nonce that is used already goes too: the node says what is wrong with it.
        if (held.nonce === next) next += 1;
        ready.add(held);
      }
      return take((held) => ready.has(held))
        .sort((a, b) => a.nonce - b.nonce)
        .map(({ item }) => item);
    },
    takeOverdue: (nowMilliseconds) => take(({ deadlineMilliseconds }) => deadlineMilliseconds <= nowMilliseconds),
    takeAll: () => take(() => true),
    nextDeadlineMilliseconds: () =>
      all.length === 0 ? undefined : Math.min(...all.map(({ deadlineMilliseconds }) => deadlineMilliseconds)),
  };
};
