import net from "node:net";

/** Preloaded into a server that chooses its own address: it listens on loopback only, and says on which port. */
// oxlint-disable-next-line typescript/unbound-method -- is called with its own this
const listen = net.Server.prototype.listen;
net.Server.prototype.listen = function (_port, ...rest) {
  this.once("listening", () => process.stdout.write(`port ${this.address().port}\n`));
  return listen.call(this, Number(process.env.LOOPBACK_PORT ?? 0), "127.0.0.1", ...rest);
};
