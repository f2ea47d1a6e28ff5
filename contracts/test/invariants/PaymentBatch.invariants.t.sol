// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Invariant} from "../support/Invariant.sol";
import {vm} from "../support/Vm.sol";
import {BatchHandler} from "./BatchHandler.sol";

contract PaymentBatchInvariants is Invariant {
    BatchHandler private handler;

    function setUp() public {
        handler = new BatchHandler();
    }

    function invariant_thePayeeHasWhatWasSignedAndNoMore() public view {
        (uint256 payee,,) = handler.balances();
        vm.assertEq(payee, handler.owed(), "payee");
    }

    function invariant_theBatchKeepsNothing() public view {
        (,, uint256 kept) = handler.balances();
        vm.assertEq(kept, handler.donated(), "only what was sent by mistake");
    }

    function invariant_noMoneyGoesElsewhere() public view {
        (uint256 payee, uint256 payers, uint256 kept) = handler.balances();
        vm.assertEq(payee + payers + kept, handler.minted(), "sum");
    }

    function invariant_nothingIsPaidTwiceOrToAnother() public view {
        vm.assertEq(handler.paidTwice(), 0, "paid twice");
        vm.assertEq(handler.redirected(), 0, "redirected");
    }

    function handlerAddress() internal view override returns (address) {
        return address(handler);
    }

    function handlerSelectors() internal view override returns (bytes4[] memory chosen) {
        chosen = new bytes4[](5);
        chosen[0] = handler.settleMixed.selector;
        chosen[1] = handler.settleAfterAStranger.selector;
        chosen[2] = handler.donate.selector;
        chosen[3] = handler.attemptSecondPayment.selector;
        chosen[4] = handler.attemptAnotherPayee.selector;
    }
}
