/** HTTP requests to the server: JSON in, JSON out, and one error class. */

/** A failed request, with the fields of the RFC 9457 problem. */
export class ProblemError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly by: string | null = null,
    readonly state: string | null = null,
  ) {
    super(message);
  }

  /** The user is not signed in. */
  get signedOut() {
    return this.status === 401;
  }
}

/** The prefix of the server's routes; it follows the path that the app is served under. */
export const API_PREFIX = new URL("./v1/", document.baseURI).pathname;

export const getJson = <T>(path: string, signal?: AbortSignal) =>
  sendRequest<T>("GET", path, undefined, signal);
export const postJson = <T>(path: string, body: unknown = {}, signal?: AbortSignal) =>
  sendRequest<T>("POST", path, body, signal);
/** POST with an idempotency key: the server executes repeated requests once. */
export const postWithIdempotencyKey = <T>(path: string, body: unknown, key: string) =>
  sendRequest<T>("POST", path, body, undefined, { "idempotency-key": key });
export const putJson = <T>(path: string, body: unknown) => sendRequest<T>("PUT", path, body);
export const patchJson = <T>(path: string, body: unknown) => sendRequest<T>("PATCH", path, body);
export const deleteJson = <T>(path: string) => sendRequest<T>("DELETE", path);

/** Build a query string; empty values are left out. */
export function queryString(values: Record<string, string | number | boolean | null | undefined>): string {
  const pairs = Object.entries(values).filter(
    ([, value]) => value !== "" && value !== null && value !== undefined,
  );
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
  return text && `?${text}`;
}

async function sendRequest<T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await fetch(API_PREFIX + path, {
    method,
    credentials: "same-origin",
    headers: method === "GET" ? headers : { "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal ? { signal } : {}),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error;
    throw new ProblemError(0, "the server cannot be reached");
  });
  if (!response.ok) throw await problemFromResponse(response);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

async function problemFromResponse(response: Response): Promise<ProblemError> {
  const body: unknown = await response.json().catch(() => ({}));
  const { detail, title, by, state } = body as Record<string, string | undefined>;
  return new ProblemError(
    response.status,
    detail || title || `the server said ${response.status}`,
    by ?? null,
    state ?? null,
  );
}
