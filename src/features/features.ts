import type { Feature } from "../feature.ts";
import { accountsFeature } from "./accounts/feature.ts";
import { auditFeature } from "./audit/feature.ts";
import { configurationFeature } from "./configuration/feature.ts";
import { consoleFeature } from "./console/feature.ts";
import { definitionsFeature } from "./definitions/feature.ts";
import { extensionsFeature } from "./extensions/feature.ts";
import { instructionsFeature } from "./instructions/feature.ts";
import { jobsFileFeature } from "./jobs-file/feature.ts";
import { managedFeature } from "./managed/feature.ts";
import { mcpFeature } from "./mcp/feature.ts";
import { memoryFeature } from "./memory/feature.ts";
import { providersFeature } from "./providers/feature.ts";
import { replicasFeature } from "./replicas/feature.ts";
import { retentionFeature } from "./retention/feature.ts";
import { sitesFeature } from "./sites/feature.ts";
import { toolsFeature } from "./tools/feature.ts";
import { usageFeature } from "./usage/feature.ts";
import { webSearchFeature } from "./web-search/feature.ts";

/** Every feature; one that is off opens nothing. */
export const FEATURES: readonly Feature[] = [
  // First, so that doctor reports on jobs before everything else.
  jobsFileFeature,
  auditFeature,
  accountsFeature,
  configurationFeature,
  consoleFeature,
  // Before features that use models when they open.
  providersFeature,
  definitionsFeature,
  extensionsFeature,
  instructionsFeature,
  managedFeature,
  mcpFeature,
  memoryFeature,
  replicasFeature,
  retentionFeature,
  sitesFeature,
  toolsFeature,
  usageFeature,
  webSearchFeature,
];
