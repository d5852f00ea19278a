/**
 * Runs a step of the start whose errors are for operators. The server's command prints stacks, but operators need only
 * the message.
 *
 * @throws The error of the step, with its message in place of the stack.
 */
export async function withoutStack<T>(step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error: unknown) {
    if (error instanceof Error) {
      error.stack = error.message;
    }
    throw error;
  }
}
