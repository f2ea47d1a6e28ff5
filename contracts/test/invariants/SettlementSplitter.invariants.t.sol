// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Invariant} from "../support/Invariant.sol";
import {vm} from "../support/Vm.sol";
import {SplitterHandler} from "./SplitterHandler.sol";

contract SettlementSplitterInvariants is Invariant {
    SplitterHandler private handler;

    function setUp() public {
        handler = new SplitterHandler();
    }

    function invariant_theSplitterKeepsNothingOfASettlement() public view {
        (,,,, uint256 kept) = handler.balances();
        vm.assertEq(kept, handler.donated(), "only what was sent by mistake");
    }

    function invariant_partsSumToGross() public view {
        (uint256 supplier, uint256 agency, uint256 service, uint256 payers,) = handler.balances();
        vm.assertEq(supplier + agency + service, handler.grossSettled(), "sum");
        vm.assertEq(supplier, handler.suppliersShare(), "the supplier has the remainders");
        vm.assertEq(payers, 0, "payers have paid");
    }

    function invariant_eachSettlementHappensOnce() public view {
        vm.assertEq(handler.settledTwice(), 0, "settled twice");
    }

    function handlerAddress() internal view override returns (address) {
        return address(handler);
    }

    function handlerSelectors() internal view override returns (bytes4[] memory chosen) {
        chosen = new bytes4[](5);
        chosen[0] = handler.split.selector;
        chosen[1] = handler.splitSigned.selector;
        chosen[2] = handler.splitSignedByWallet.selector;
        chosen[3] = handler.donate.selector;
        chosen[4] = handler.attemptSecondSettlement.selector;
    }
}
