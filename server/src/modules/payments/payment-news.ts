/** Tells waiters of this process that something has happened to a payment. What other processes did they find out by looking. */
export interface PaymentNews {
  tell(paymentIds: readonly string[]): void;
  /** Resolves at news of this payment, or when the time is over. */
  wait(paymentId: string, milliseconds: number): Promise<void>;
}

export function createPaymentNews(): PaymentNews {
  const waiting = new Map<string, Set<() => void>>();
  return {
    tell(paymentIds) {
      for (const id of paymentIds) for (const wake of waiting.get(id) ?? []) wake();
    },
    async wait(paymentId, milliseconds) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const wakers = waiting.get(paymentId) ?? new Set();
      waiting.set(paymentId, wakers.add(resolve));
      const timer = setTimeout(resolve, milliseconds);
      await promise;
      clearTimeout(timer);
      wakers.delete(resolve);
      if (wakers.size === 0) waiting.delete(paymentId);
    },
  };
}
