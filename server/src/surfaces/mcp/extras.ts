import type {
  CallToolResult,
  CompleteRequestParams,
  CompleteResult,
  GetPromptResult,
  InputRequiredResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplateType,
  ServerContext,
  Tool,
} from "@modelcontextprotocol/server";

/** Offers of an endpoint in addition to the registry, in the protocol's own types. */
export interface McpExtras {
  readonly tools: readonly {
    readonly definition: Tool;
    call(
      args: Readonly<Record<string, unknown>>,
      context: ServerContext,
    ): Promise<CallToolResult | InputRequiredResult>;
  }[];
  readonly resources: readonly { readonly definition: Resource; read(): Promise<ReadResourceResult> }[];
  readonly resourceTemplates: readonly {
    readonly definition: ResourceTemplateType;
    /** Undefined: the URI does not match this template. */
    read(uri: string): Promise<ReadResourceResult | undefined>;
  }[];
  readonly prompts: readonly {
    readonly definition: Prompt;
    get(args: Readonly<Record<string, string>>, context: ServerContext): Promise<GetPromptResult | InputRequiredResult>;
  }[];
  complete(params: CompleteRequestParams): Promise<CompleteResult>;
}
