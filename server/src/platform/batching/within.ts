/** Undefined: it takes longer, and continues. */
export async function within<Result>(
  milliseconds: number,
  work: Promise<Result>,
): Promise<{ result: Result } | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), milliseconds);
  try {
    return await Promise.race([work.then((result) => ({ result })), late]);
  } finally {
    clearTimeout(timer);
  }
}
