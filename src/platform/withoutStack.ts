/**
 * Does a step of the start whose errors are for operators: the message is all they need, and the command of the server
 * prints the stack.
 *
 * @throws What the step throws, with the message instead of the stack.
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
