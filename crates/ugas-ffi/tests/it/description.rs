//! `include/ugas.json`, the description of the interface for programs that make bindings, is up to date with the source.
//! It is made from the header that `header.rs` generates from the source.

use serde_json::{Map, Value, json};

use crate::header::{folder, generate};

const COMMAND: &str = "UPDATE_EXPECT=1 cargo test -p ugas-ffi --test it description";

/// The lists of the description.
#[derive(Default)]
struct Description {
    constants: Vec<Value>,
    aliases: Vec<Value>,
    opaque: Vec<Value>,
    enums: Vec<Value>,
    structs: Vec<Value>,
    unions: Vec<Value>,
    callbacks: Vec<Value>,
    functions: Vec<Value>,
}

/// Lines of the header with the documentation that precedes them.
struct Reader<'a> {
    lines: std::iter::Peekable<std::str::Lines<'a>>,
    doc: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    /// The next line that declares something. Lines for C++ and blank lines are skipped.
    fn next(&mut self) -> Option<&'a str> {
        loop {
            let line = self.lines.next()?.trim();
            match line.strip_prefix("//") {
                Some(comment) => self.doc.push(comment.strip_prefix(' ').unwrap_or(comment)),
                None if line.is_empty() => self.doc.clear(),
                None if line.starts_with("#define UGAS_") => return Some(line),
                None if line.starts_with('#') || line.starts_with(": ") => {}
                None => return Some(line),
            }
        }
    }

    fn take_doc(&mut self) -> String {
        std::mem::take(&mut self.doc).join(" ")
    }

    /// A declaration up to its semicolon, in one line.
    fn statement(&mut self, first: &str) -> String {
        let mut text = first.to_owned();
        while !text.ends_with(';') {
            text.push(' ');
            text.push_str(self.next().expect("a declaration has an end"));
        }
        text.trim_end_matches(';').to_owned()
    }
}

fn describe(header: &str) -> Value {
    let mut all = Description::default();
    let start = header.find("// Version of this interface").expect("the first constant has a comment");
    let mut reader = Reader { lines: header[start..].lines().peekable(), doc: Vec::new() };
    while let Some(line) = reader.next() {
        if line.starts_with("extern") || line.starts_with('}') {
            continue;
        }
        let doc = reader.take_doc();
        if let Some(constant) = line.strip_prefix("#define ") {
            let (name, value) = constant.split_once(' ').unwrap();
            let value = if value == "UINT32_MAX" { u32::MAX } else { value.parse().unwrap() };
            all.constants.push(json!({ "name": name, "value": value, "doc": doc }));
        } else if let Some(name) = line.strip_prefix("enum ") {
            all.enums.push(enumeration(&mut reader, name.trim_end_matches(" {"), &doc));
        } else if line == "typedef struct {" {
            all.structs.push(record(&mut reader, &doc));
        } else if line == "typedef union {" {
            all.unions.push(record(&mut reader, &doc));
        } else {
            let statement = reader.statement(line);
            match statement.strip_prefix("typedef ") {
                None => all.functions.push(function(&statement, &doc)),
                Some(callback) if callback.contains("(*") => all.callbacks.push(function(callback, &doc)),
                Some(opaque) if opaque.starts_with("struct ") => {
                    let name = opaque.rsplit(' ').next();
                    all.opaque.push(json!({ "name": name, "doc": doc }));
                }
                // The types of enumerations in C.
                Some(alias)
                    if all.enums.iter().any(|known| alias.ends_with(known["name"].as_str().unwrap())) => {}
                Some(alias) => {
                    let (of, name) = alias.rsplit_once(' ').unwrap();
                    all.aliases.push(json!({ "name": name, "of": of, "doc": doc }));
                }
            }
        }
    }
    json!({
        "generated_by": COMMAND,
        "abi_version": ugas_ffi::UGAS_ABI_VERSION,
        "constants": all.constants,
        "opaque": all.opaque,
        "aliases": all.aliases,
        "enums": all.enums,
        "structs": all.structs,
        "unions": all.unions,
        "callbacks": all.callbacks,
        "functions": all.functions,
    })
}

fn enumeration(reader: &mut Reader<'_>, name: &str, doc: &str) -> Value {
    let mut variants = Vec::new();
    loop {
        let line = reader.next().expect("an enumeration has an end");
        let doc_of_line = reader.take_doc();
        if line.starts_with('}') {
            return json!({ "name": name, "of": "uint32_t", "doc": doc, "variants": variants });
        }
        if let Some((name, value)) = line.trim_end_matches(',').split_once(" = ") {
            let value: u32 = value.parse().unwrap();
            variants.push(json!({ "name": name, "value": value, "doc": doc_of_line }));
        }
    }
}

fn record(reader: &mut Reader<'_>, doc: &str) -> Value {
    let mut fields = Vec::new();
    loop {
        let line = reader.next().expect("a structure has an end");
        let doc_of_line = reader.take_doc();
        if let Some(name) = line.strip_prefix("} ") {
            let name = name.trim_end_matches(';');
            return json!({ "name": name, "doc": doc, "fields": fields });
        }
        let (name, mut field) = declared(line.trim_end_matches(';'));
        field.insert("doc".to_owned(), json!(doc_of_line));
        fields.push(named(name, field));
    }
}

/// A function, or a callback with its name in parentheses.
fn function(statement: &str, doc: &str) -> Value {
    let (head, parameters) = match statement.split_once(")(") {
        Some((head, parameters)) => (head.replace("(*", ""), parameters),
        None => {
            let (head, parameters) = statement.split_once('(').expect("a function has parameters");
            (head.to_owned(), parameters)
        }
    };
    let (returns, name) = head.rsplit_once(' ').unwrap();
    let parameters: Vec<(String, Map<String, Value>)> = parameters
        .trim_end_matches(')')
        .split(',')
        .map(str::trim)
        .filter(|parameter| !parameter.is_empty() && *parameter != "void")
        .map(declared)
        .collect();
    let names: Vec<String> = parameters.iter().map(|(name, _)| name.clone()).collect();
    let freed_by = freed_by(doc);
    let described = parameters.into_iter().enumerate().map(|(at, (name, mut parameter))| {
        let is_pointer = parameter["pointers"] != json!(0);
        let type_name = parameter["type"].as_str().unwrap_or_default().to_owned();
        let is_lent = is_pointer && matches!(type_name.as_str(), "ugas_str" | "ugas_bytes");
        let direction = match (parameter["const"] == json!(true), type_name.as_str(), &parameter["pointers"])
        {
            (_, "ugas_context", pointers) if *pointers == json!(2) && head.contains("_free") => "inout",
            (_, "ugas_context", pointers) if *pointers == json!(1) => "in",
            (false, kind, _) if is_pointer && kind != "void" => "out",
            _ => "in",
        };
        parameter.insert("direction".to_owned(), json!(direction));
        if is_pointer {
            let is_list = |name: &String| name == "capacity" || name.ends_with("_count") || name == "count";
            let next =
                names.get(at + 1..).unwrap_or_default().iter().take(2).find(|name| *name != "row_size");
            // A result named `count` is the number of rows; others have a length of their own.
            if name != "count"
                && let Some(count) = next.filter(|name| is_list(name))
            {
                parameter.insert("count".to_owned(), json!(count));
            }
            parameter
                .insert("nullable".to_owned(), json!(type_name != "ugas_context" && is_nullable(doc, &name)));
        }
        if direction == "out" && is_lent {
            parameter.insert("valid_until".to_owned(), json!("next call"));
        }
        if let (Some(free), "out", "out") = (&freed_by, direction, name.as_str()) {
            parameter.insert("freed_by".to_owned(), json!(free));
        }
        named(name, parameter)
    });
    let described: Vec<Value> = described.collect();
    json!({ "name": name, "doc": doc, "returns": returns, "parameters": described })
}

/// The function that frees the result: the one that the documentation names after "freed" or "frees".
fn freed_by(doc: &str) -> Option<String> {
    doc.split(" free").skip(1).find_map(|rest| {
        let (gap, rest) = rest.split_once("ugas_")?;
        let name = rest.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next()?;
        (gap.len() < 40 && name.ends_with("_free")).then(|| format!("ugas_{name}"))
    })
}

/// Whether the documentation lets a parameter be null: its sentence names it.
fn is_nullable(doc: &str, name: &str) -> bool {
    let sentences =
        doc.split(". ").filter(|text| text.contains("may be null") || text.contains("null query matches"));
    sentences.into_iter().any(|text| {
        text.contains(&format!("`{name}`"))
            || text.contains(&format!("null {name}"))
            || text.contains("Either pointer")
    })
}

fn named(name: String, rest: Map<String, Value>) -> Value {
    let mut all = Map::new();
    all.insert("name".to_owned(), json!(name));
    all.extend(rest);
    Value::Object(all)
}

/// The name and the type of `const ugas_target *targets` or `double origin[3]`.
fn declared(text: &str) -> (String, Map<String, Value>) {
    let text = text.trim();
    let (text, length) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((text, length)) => {
            (text, Some(length.parse::<u32>().map_or(json!(length), |length| json!(length))))
        }
        None => (text, None),
    };
    let pointers = text.matches('*').count();
    let is_const = text.starts_with("const ");
    let text = text.trim_start_matches("const ").replace('*', " ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let [kind, name] = words[..] else { panic!("not a declaration: {text}") };
    let mut all = Map::new();
    all.insert("type".to_owned(), json!(kind));
    all.insert("pointers".to_owned(), json!(pointers));
    all.insert("const".to_owned(), json!(is_const));
    if let Some(length) = length {
        all.insert("length".to_owned(), length);
    }
    (name.to_owned(), all)
}

#[test]
fn description_is_up_to_date_with_the_source() {
    let path = folder().join("include/ugas.json");
    let generated = format!("{:#}\n", describe(&generate()));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &generated).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == generated, "include/ugas.json is out of date: run `{COMMAND}`");
}

/// Every name that a declaration uses is declared, so that a program can make bindings from the description alone.
#[test]
fn description_is_closed() {
    let all = describe(&generate());
    let lists = ["opaque", "aliases", "enums", "structs", "unions", "callbacks"];
    let list = |name: &str| all[name].as_array().unwrap().iter();
    let known: Vec<&str> =
        lists.iter().flat_map(|name| list(name)).map(|item| item["name"].as_str().unwrap()).collect();
    let is_known = |kind: &str| {
        let plain = ["void", "char", "double", "uint8_t", "uint32_t", "uint64_t", "int64_t", "size_t"];
        plain.contains(&kind) || known.contains(&kind)
    };
    let functions: Vec<&Value> = list("functions").chain(list("callbacks")).collect();
    assert!(list("functions").count() > 200 && list("enums").count() > 20 && list("structs").count() > 60);
    for function in functions {
        assert!(is_known(function["returns"].as_str().unwrap()), "{function}");
        for parameter in function["parameters"].as_array().unwrap() {
            assert!(is_known(parameter["type"].as_str().unwrap()), "{function}");
        }
    }
    for record in list("structs").chain(list("unions")) {
        for field in record["fields"].as_array().unwrap() {
            assert!(is_known(field["type"].as_str().unwrap()), "{record}");
        }
    }
}

/// One declaration of each kind, written down from the rules of the interface.
#[test]
fn description_has_directions_counts_and_ownership() {
    let all = describe(&generate());
    let item = |list: &str, name: &str| -> Value {
        all[list].as_array().unwrap().iter().find(|item| item["name"] == name).cloned().unwrap()
    };
    let new = item("functions", "ugas_loader_new");
    let out = &new["parameters"][1];
    assert_eq!((&out["direction"], &out["freed_by"]), (&json!("out"), &json!("ugas_loader_free")));
    let constructors = all["functions"].as_array().unwrap().iter().filter(|function| {
        let name = function["name"].as_str().unwrap();
        ["_new", "_new_file", "_take", "_from_bytes", "_share"].iter().any(|end| name.ends_with(end))
    });
    for constructor in constructors {
        let parameters = constructor["parameters"].as_array().unwrap();
        let owned = parameters.iter().find(|parameter| !parameter["freed_by"].is_null());
        let free = owned.unwrap_or_else(|| panic!("nothing frees the result of {constructor}"));
        assert_eq!(item("functions", free["freed_by"].as_str().unwrap())["name"], free["freed_by"]);
    }
    let activate = item("functions", "ugas_ability_activate");
    let targets = &activate["parameters"][3];
    assert_eq!((&targets["direction"], &targets["count"]), (&json!("in"), &json!("target_count")));
    assert_eq!(targets["nullable"], true);
    assert_eq!(activate["parameters"][0]["direction"], "in");
    let error = item("functions", "ugas_last_error");
    assert_eq!(error["parameters"][1]["valid_until"], "next call");
    let busy = item("enums", "ugas_status")["variants"][3].clone();
    assert_eq!((&busy["name"], &busy["value"]), (&json!("UGAS_STATUS_BUSY"), &json!(3)));
    let position = item("structs", "ugas_area")["fields"][1].clone();
    assert_eq!((&position["type"], &position["length"]), (&json!("double"), &json!(3)));
    assert_eq!(item("callbacks", "ugas_calculate")["parameters"][2]["direction"], "out");
    assert_eq!(item("aliases", "ugas_call")["of"], "uint64_t");
    assert_eq!(item("constants", "UGAS_NO_ID")["value"], u32::MAX);
}
