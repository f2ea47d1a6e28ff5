/** Notifies waiters in this process about a payment. Changes by other processes are found by polling. */
export interface PaymentNews {
  /** `chainTransactionId`: the transaction that now contains them. */
  tell(paymentIds: readonly string[], chainTransactionId?: string): void;
  /**
   * Resolves at news of this payment, with the chain transaction that now contains it if that is the news, or at the timeout.
   */
  wait(paymentId: string, milliseconds: number): Promise<string | undefined>;
}

type Wake = (chainTransactionId: string | undefined) => void;

export function createPaymentNews(): PaymentNews {
  const waiting = new Map<string, Set<Wake>>();
  return {
    tell(paymentIds, chainTransactionId) {
      for (const id of paymentIds) for (const wake of waiting.get(id) ?? []) wake(chainTransactionId);
    },
    async wait(paymentId, milliseconds) {
      const { promise, resolve } = Promise.withResolvers<string | undefined>();
      const wakers = waiting.get(paymentId) ?? new Set();
      waiting.set(paymentId, wakers.add(resolve));
      const timer = setTimeout(() => resolve(undefined), milliseconds);
      const news = await promise;
      clearTimeout(timer);
      wakers.delete(resolve);
      if (wakers.size === 0) waiting.delete(paymentId);
      return news;
    },
  };
}
