/** What the shell takes a reference to while it is loaded: to be imported before it. */
import "../runtime/clock.ts";
import "../runtime/timers.ts";
import "../runtime/text-encoding.ts";
import "../runtime/abort.ts";
import "./buffer.ts";
