import { z } from "zod";
import { adminPostRoute, type FeatureRoute, getRoute, type TeamReplica, type TeamReplicas } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";

type Member = Awaited<ReturnType<FeatureHost["cluster"]["members"]>>[number];

const drainSchema = z.object({ id: z.string().max(200) });
const NONE = { status: 404, body: { error: "That process is no longer running." } };
const LAST = { status: 409, body: { error: "It is the only process that accepts sessions. Start another one first." } };

/**
 * Routes of processes: anyone who may read the page sees which are running and what they do; admins can drain one, so
 * that it hands over its sessions and ends.
 */
export function replicaRoutes({ cluster, audit }: Pick<FeatureHost, "cluster" | "audit">): readonly FeatureRoute[] {
  return [
    getRoute("/list", async ({ role }) => {
      const members = await cluster.members();
      const rows = members.map((member) => shown(member, { own: cluster.id, newest: members.at(-1) }));
      const body: TeamReplicas = { rows, mayDrain: role === "admin" };
      return { status: 200, body };
    }),
    adminPostRoute("/drain", async ({ body, by }) => {
      const asked = drainSchema.safeParse(body).data;
      const members = await cluster.members();
      const found = members.find(({ id }) => id === asked?.id);
      if (found === undefined) return NONE;
      const outcome = await cluster.drain(found.id);
      if (outcome !== "asked") return outcome === "last" ? LAST : NONE;
      await audit({ by, act: "replica.drained", about: nameOf(found) });
      return { status: 200, body: {} };
    }),
  ];
}

function nameOf({ host, pid }: Member): string {
  return `${host}:${pid}`;
}

function shown(member: Member, { own, newest }: { own: string; newest: Member | undefined }): TeamReplica {
  const { id, version, startedAt, running, waiting, draining, roles, platforms } = member;
  const [given, newer] = [member.given, newest?.given ?? null];
  const isKnown = given !== null && newer !== null;
  const differing = isKnown ? Object.keys({ ...newer, ...given }).filter((name) => newer[name] !== given[name]) : [];
  const away = Object.keys(platforms).filter((name) => platforms[name] !== true);
  const name = nameOf(member);
  return { id, name, isOwn: id === own, version, startedAt, running, waiting, draining, roles, away, differing };
}
