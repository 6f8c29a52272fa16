//! One module a code: its page, and the messages that carry it.

pub(crate) mod ug001;
pub(crate) mod ug002;
pub(crate) mod ug003;
pub(crate) mod ug004;
pub(crate) mod ug005;
pub(crate) mod ug007;
pub(crate) mod ug008;
pub(crate) mod ug009;
pub(crate) mod ug010;
pub(crate) mod ug011;
pub(crate) mod ug012;
pub(crate) mod ug013;
pub(crate) mod ug014;
pub(crate) mod ug015;
pub(crate) mod ug016;
pub(crate) mod ug017;
pub(crate) mod ug020;
pub(crate) mod ug021;
pub(crate) mod ug022;
pub(crate) mod ug023;
pub(crate) mod ug024;
pub(crate) mod ug025;
pub(crate) mod ug026;
pub(crate) mod ug027;
pub(crate) mod ug028;
pub(crate) mod ug029;
pub(crate) mod ug030;
pub(crate) mod ug031;
pub(crate) mod ug032;
pub(crate) mod ug033;
pub(crate) mod ug034;
pub(crate) mod ug035;
pub(crate) mod ug036;
pub(crate) mod ug037;
pub(crate) mod ug038;
pub(crate) mod ug039;
pub(crate) mod ug040;
pub(crate) mod ug041;
pub(crate) mod ug042;
pub(crate) mod ug043;
pub(crate) mod ug044;
pub(crate) mod ug045;
pub(crate) mod ug046;
pub(crate) mod ug050;
pub(crate) mod ug051;
pub(crate) mod ug052;
pub(crate) mod ug053;
pub(crate) mod ug054;
pub(crate) mod ug055;
pub(crate) mod ug060;
pub(crate) mod ug061;
pub(crate) mod ug062;
pub(crate) mod ug063;
pub(crate) mod ug064;
pub(crate) mod ug065;
pub(crate) mod ug066;
pub(crate) mod ug067;
pub(crate) mod ug068;
pub(crate) mod ug069;
pub(crate) mod ug071;
pub(crate) mod ug072;
pub(crate) mod ug073;
pub(crate) mod ug074;
pub(crate) mod ug075;
pub(crate) mod ug076;
pub(crate) mod ug077;
pub(crate) mod ug078;
pub(crate) mod ug079;
pub(crate) mod ug080;
pub(crate) mod ug081;
pub(crate) mod ug082;
pub(crate) mod ug083;
pub(crate) mod ug090;
pub(crate) mod ug091;
pub(crate) mod ug092;
pub(crate) mod ug093;
pub(crate) mod ug094;
pub(crate) mod ug095;
pub(crate) mod ug098;
pub(crate) mod ug099;
pub(crate) mod ug100;
pub(crate) mod ug101;
pub(crate) mod ug102;
pub(crate) mod ug110;
pub(crate) mod ug111;
pub(crate) mod ug130;
pub(crate) mod ug131;
pub(crate) mod ug132;
pub(crate) mod ug140;
pub(crate) mod ug141;
pub(crate) mod ug142;
pub(crate) mod ug143;
pub(crate) mod ug144;
pub(crate) mod ug145;
pub(crate) mod ug146;
pub(crate) mod ug147;
pub(crate) mod ug150;
pub(crate) mod ug151;
pub(crate) mod ug152;
pub(crate) mod ug153;
pub(crate) mod ug160;
pub(crate) mod ug161;
pub(crate) mod ug162;
pub(crate) mod ug163;

use super::CodeDoc;

/// All codes in order.
pub(crate) static ALL: &[&CodeDoc] = &[
    &ug001::DOC,
    &ug002::DOC,
    &ug003::DOC,
    &ug004::DOC,
    &ug005::DOC,
    &ug007::DOC,
    &ug008::DOC,
    &ug009::DOC,
    &ug010::DOC,
    &ug011::DOC,
    &ug012::DOC,
    &ug013::DOC,
    &ug014::DOC,
    &ug015::DOC,
    &ug016::DOC,
    &ug017::DOC,
    &ug020::DOC,
    &ug021::DOC,
    &ug022::DOC,
    &ug023::DOC,
    &ug024::DOC,
    &ug025::DOC,
    &ug026::DOC,
    &ug027::DOC,
    &ug028::DOC,
    &ug029::DOC,
    &ug030::DOC,
    &ug031::DOC,
    &ug032::DOC,
    &ug033::DOC,
    &ug034::DOC,
    &ug035::DOC,
    &ug036::DOC,
    &ug037::DOC,
    &ug038::DOC,
    &ug039::DOC,
    &ug040::DOC,
    &ug041::DOC,
    &ug042::DOC,
    &ug043::DOC,
    &ug044::DOC,
    &ug045::DOC,
    &ug046::DOC,
    &ug050::DOC,
    &ug051::DOC,
    &ug052::DOC,
    &ug053::DOC,
    &ug054::DOC,
    &ug055::DOC,
    &ug060::DOC,
    &ug061::DOC,
    &ug062::DOC,
    &ug063::DOC,
    &ug064::DOC,
    &ug065::DOC,
    &ug066::DOC,
    &ug067::DOC,
    &ug068::DOC,
    &ug069::DOC,
    &ug071::DOC,
    &ug072::DOC,
    &ug073::DOC,
    &ug074::DOC,
    &ug075::DOC,
    &ug076::DOC,
    &ug077::DOC,
    &ug078::DOC,
    &ug079::DOC,
    &ug080::DOC,
    &ug081::DOC,
    &ug082::DOC,
    &ug083::DOC,
    &ug090::DOC,
    &ug091::DOC,
    &ug092::DOC,
    &ug093::DOC,
    &ug094::DOC,
    &ug095::DOC,
    &ug098::DOC,
    &ug099::DOC,
    &ug100::DOC,
    &ug101::DOC,
    &ug102::DOC,
    &ug110::DOC,
    &ug111::DOC,
    &ug130::DOC,
    &ug131::DOC,
    &ug132::DOC,
    &ug140::DOC,
    &ug141::DOC,
    &ug142::DOC,
    &ug143::DOC,
    &ug144::DOC,
    &ug145::DOC,
    &ug146::DOC,
    &ug147::DOC,
    &ug150::DOC,
    &ug151::DOC,
    &ug152::DOC,
    &ug153::DOC,
    &ug160::DOC,
    &ug161::DOC,
    &ug162::DOC,
    &ug163::DOC,
];
