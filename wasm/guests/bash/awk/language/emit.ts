import { Refusal } from "../../text/command.ts";
import { analyse, keyOf } from "./analysis.ts";
import { type Code, shown, valued } from "./code.ts";
import { ExpressionEmitter, FUNCTION, GLOBAL, PARAMETER } from "./emit-expressions.ts";
import type { Expression, For, Function, Print, Program, Rule, Statement, Switch } from "./syntax.ts";
import { partsOf } from "./syntax.ts";
import { setSpecial } from "./variables.ts";

/** Names of the library that translated programs call. */
export const LIBRARY =
  "numberOf textOf isTrue compare inputValue nonZero power cellOf elementOf setElement subarrayOf fieldIndex characterCount lengthOf substring keysOf UNSET NEXT misplaced look";

/** Loops look after so many rounds, in powers of two, whether the call is over. */
const LOOK = "if((++rounds&511)===0)look();";

class StatementEmitter extends ExpressionEmitter {
  #loops = 0;

  statement(one: Statement): string {
    switch (one.type) {
      case "block":
        return `{${one.body.map((part) => this.statement(part)).join("")}}`;
      case "expression":
        return `${this.#effect(one.expression)};`;
      case "print":
        return this.#print(one);
      case "if":
        return `if(${this.truth(one.condition)}){${this.statement(one.yes)}}${one.no === null ? "" : `else{${this.statement(one.no)}}`}`;
      case "while":
        return `while(${this.truth(one.condition)})${this.#loop(one.body)}`;
      case "do":
        return `do${this.#loop(one.body)}while(${this.truth(one.condition)});`;
      case "for":
        return this.#for(one);
      case "forIn": {
        const set = this.assign(one.target, { kind: "text", code: "key" }).code;
        const body = this.#loop(one.body);
        return `for(const key of keysOf(${this.array(one.array)})){${set};${body}}`;
      }
      case "switch":
        return this.#switch(one);
      case "break":
      case "continue":
        if (this.#loops === 0) throw new Refusal(`${one.type} is outside a loop`, 1);
        return `${one.type};`;
      case "next":
      case "nextfile":
        return (
          (one.type === "next" ? "" : "awk.input.skipFile();") + (this.within === null ? "return;" : "throw NEXT;")
        );
      case "exit":
        return `awk.exit(${one.value === null ? "" : this.number(one.value)});`;
      case "return":
        if (this.within === null) throw new Refusal("return is outside a function", 1);
        return `return ${one.value === null ? "UNSET" : this.value(one.value)};`;
      default: {
        const array = this.array(one.array);
        return one.keys === null ? `${array}.clear();` : `${array}.delete(${this.key(one.keys)});`;
      }
    }
  }

  /** An expression whose value nobody uses. */
  #effect(one: Expression): string {
    return one.type === "step" ? this.step(one, false).code : this.expression(one).code;
  }

  #loop(body: Statement): string {
    this.#loops += 1;
    const code = this.statement(body);
    this.#loops -= 1;
    return `{${LOOK}${code}}`;
  }

  #for({ start, condition, step, body }: For): string {
    if (step !== null && step.type !== "expression") throw new Refusal("a loop takes steps by an expression", 1);
    const head = start === null ? "" : this.statement(start);
    const test = condition === null ? "" : this.truth(condition);
    return `${head}for(;${test};${step === null ? "" : this.#effect(step.expression)})${this.#loop(body)}`;
  }

  #switch({ value, cases }: Switch): string {
    const name = this.temporary();
    const given: Code = { kind: "value", code: name };
    this.#loops += 1;
    const parts = cases.map(({ value, body }) => {
      const code = body.map((part) => this.statement(part)).join("");
      if (value === null) return `default:${code}`;
      const isPattern = value.type === "pattern";
      const test = isPattern
        ? `${this.pattern(value)}.test(textOf(${name}))`
        : this.compared("==", given, this.expression(value));
      return `case ${test}:${code}`;
    });
    this.#loops -= 1;
    return `${name}=${this.value(value)};switch(true){${parts.join("")}}`;
  }

  #print({ isFormatted, args, to }: Print): string {
    let text = "";
    if (isFormatted) {
      const [format, ...values] = args;
      if (format === undefined) throw new Refusal("printf needs a format", 1);
      text = `awk.formatted(${this.text(format)},[${values.map((one) => this.value(one)).join()}])`;
    } else {
      const parts = args.length === 0 ? ["awk.fields.text(0)"] : args.map((one) => shown(this.expression(one)));
      text = `${parts.join("+awk.fields.OFS+")}+awk.ORS`;
    }
    if (to === undefined) return `awk.streams.print(${text});`;
    return `awk.streams.printTo(${text},${JSON.stringify(to.operator)},${this.text(to.name)});`;
  }
}

/** Translates a program to the body of a JavaScript function; `assigned` are the variables that its arguments set. */
export function translate(program: Program, assigned: readonly string[]): string {
  const analysis = analyse(program);
  const globals = new Set<string>();
  const constants: string[] | null = usesCase(program) || assigned.includes("IGNORECASE") ? null : [];
  const emitter = (within: Function | null) => new StatementEmitter({ program, analysis, within, globals, constants });
  const functions = [...program.functions.values()].map((one) => functionCode(emitter(one), one));
  const rules = ["BEGIN", "END", "BEGINFILE", "ENDFILE", "record"].map((when) =>
    rulesCode(emitter(null), when, program),
  );
  const setters = assigned.map((name) => setterCode(emitter(null), name));
  const names = [...globals].map((name) => {
    const isArray = analysis.arrays.has(keyOf(name, null));
    return `${GLOBAL}${name}=${isArray ? "new Map()" : "UNSET"}`;
  });
  const ranges = program.rules.map((_, at) => `range${at}=false`);
  const table = [...program.functions.keys()].map((name) => `[${JSON.stringify(name)},${FUNCTION}${name}]`);
  return [
    `"use strict";const {${LIBRARY.replaceAll(" ", ",")}}=library;`,
    `let ${["rounds=0", ...names, ...ranges].join()};`,
    ...(constants ?? []).map((code, at) => `const c${at}=${code};`),
    ...functions,
    `const functions=new Map([${table.join()}]);`,
    `return {functions,set:new Map([${setters.join()}]),${rules.filter((code) => code !== "").join()}};`,
  ].join("\n");
}

/** Whether patterns may come to ignore the case of letters while the program runs. */
function usesCase(program: Program): boolean {
  return [...partsOf({ ...program, functions: [...program.functions.values()] })].some(
    (one) => one.type === "name" && one.name === "IGNORECASE",
  );
}

function functionCode(emit: StatementEmitter, { name, params, body }: Function): string {
  const code = emit.statement(body);
  const absent = params.map((param) => {
    const value = emit.analysis.arrays.has(`${name} ${param}`) ? "new Map()" : "UNSET";
    return `if(${PARAMETER}${param}===undefined)${PARAMETER}${param}=${value};`;
  });
  const prefix = emit.analysis.waiting.has(name) ? "async " : "";
  const given = params.map((param) => PARAMETER + param).join();
  return `${prefix}function ${FUNCTION}${name}(${given}){${localsOf(emit)}${LOOK}${absent.join("")}${code}return UNSET;}`;
}

function localsOf({ temporaries }: StatementEmitter): string {
  return temporaries.length === 0 ? "" : `let ${temporaries.join()};`;
}

function rulesCode(emit: StatementEmitter, when: string, { rules, functions }: Program): string {
  const own = rules.flatMap((rule, at) => (rule.when === when ? [ruleCode(emit, rule, at)] : []));
  if (own.length === 0) return "";
  const code = own.join("\n");
  const isLeft = [...functions.values()].some(({ body }) => skipsOf(body).length > 0);
  const skip = when === "record" ? "return;" : `throw misplaced("${when}");`;
  const safe = isLeft ? `try{${code}}catch(error){if(error!==NEXT)throw error;${skip}}` : code;
  const waits = rules.some((rule) => rule.when === when && emit.waits(rule));
  return `${when}:{waits:${waits},run:${waits ? "async " : ""}()=>{${localsOf(emit)}${safe}}}`;
}

/** The statements that leave a record. */
function skipsOf(body: Statement): string[] {
  return [...partsOf(body)].flatMap(({ type }) => (type === "next" || type === "nextfile" ? [type] : []));
}

function ruleCode(emit: StatementEmitter, { when, from, to, body }: Rule, at: number): string {
  const wrong = skipsOf(body).find((type) => when !== "record" && (type === "next" || when !== "BEGINFILE"));
  if (wrong !== undefined) throw new Refusal(`\`${wrong}' used in ${when} action`, 1);
  const code = emit.statement(body);
  if (from === null) return code;
  if (to === null) return `if(${emit.truth(from)})${code}`;
  const range = `range${at}`;
  return `if(${range}||(${emit.truth(from)})){${range}=!(${emit.truth(to)});${code}}`;
}

function setterCode(emit: StatementEmitter, name: string): string {
  const value: Code = { kind: "value", code: "value" };
  const special = setSpecial(name, { number: "numberOf(value)", text: "textOf(value)", value: "value" });
  const code = special?.code ?? emit.assign({ type: "name", name }, value).code;
  return `[${JSON.stringify(name)},(value)=>${valued({ kind: "value", code })}]`;
}
