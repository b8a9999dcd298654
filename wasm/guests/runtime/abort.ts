/** AbortController and AbortSignal, and the events they need, which QuickJS lacks. */

type Listener = (event: { readonly type: string; readonly target: unknown }) => void;

class NamedError extends Error {
  readonly code = 0;

  constructor(message = "", name = "Error") {
    super(message);
    this.name = name;
  }
}

class Signal {
  aborted = false;
  reason: unknown = undefined;
  onabort: Listener | null = null;
  readonly #listeners = new Map<Listener, boolean>();

  static abort(reason?: unknown): Signal {
    const signal = new Signal();
    abortSignal(signal, reason);
    return signal;
  }

  static any(signals: Iterable<Signal>): Signal {
    const any = new Signal();
    for (const signal of signals) {
      if (signal.aborted) abortSignal(any, signal.reason);
      else signal.addEventListener("abort", () => abortSignal(any, signal.reason));
    }
    return any;
  }

  static timeout(ms: number): Signal {
    const signal = new Signal();
    setTimeout(() => abortSignal(signal, new NamedError("The operation timed out", "TimeoutError")), ms);
    return signal;
  }

  addEventListener(type: string, listener: Listener, options?: { once?: boolean } | boolean): void {
    if (type === "abort") this.#listeners.set(listener, typeof options === "object" && options.once === true);
  }

  removeEventListener(_type: string, listener: Listener): void {
    this.#listeners.delete(listener);
  }

  dispatchEvent(event: { readonly type: string; readonly target: unknown }): boolean {
    this.onabort?.(event);
    for (const [listener, once] of Array.from(this.#listeners)) {
      if (once) this.#listeners.delete(listener);
      listener(event);
    }
    return true;
  }

  throwIfAborted(): void {
    if (this.aborted) throw this.reason;
  }
}

function abortSignal(
  signal: Signal,
  reason: unknown = new NamedError("This operation was aborted", "AbortError"),
): void {
  if (signal.aborted) return;
  signal.aborted = true;
  signal.reason = reason;
  signal.dispatchEvent({ type: "abort", target: signal });
}

class Controller {
  readonly signal = new Signal();

  abort(reason?: unknown): void {
    abortSignal(this.signal, reason);
  }
}

Object.assign(globalThis, { AbortController: Controller, AbortSignal: Signal, DOMException: NamedError });
