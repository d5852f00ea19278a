const loopback = /^(?:localhost|(?:[^.]+\.)+localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u;

/**
 * Checks whether the host of a URL is the machine itself, which nobody in between can pretend to be.
 *
 * @param url - An absolute URL.
 *
 * @see [RFC 6761, section 6.3](https://www.rfc-editor.org/rfc/rfc6761#section-6.3)
 */
export function isLoopback(url: URL): boolean {
  return loopback.test(url.hostname);
}
